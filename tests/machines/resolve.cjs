// Loaded before a tool: names below `.localhost` are this machine.

const dns = require('node:dns');

const { lookup } = dns;
dns.lookup = (host, ...rest) => lookup(host.endsWith('.localhost') ? '127.0.0.1' : host, ...rest);
