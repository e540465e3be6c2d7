//! Uploads files to the API as a form. They are streamed from disk to the socket, so that the client costs little.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::Recto;

pub enum Part<'a> {
    /// A name and a value.
    Text(&'a str, &'a str),
    File(&'a Path),
}

const BOUNDARY: &str = "boundary-in-no-file";

impl Recto {
    /// Uses a new connection. Returns the response if it is a success.
    pub fn send_form(&self, path: &str, parts: &[Part]) -> Result<Value> {
        let mut socket = TcpStream::connect(self.base.trim_start_matches("http://"))?;
        // A refusal may arrive before everything is sent; its message is more useful than a broken pipe.
        let sent = self.send(&mut socket, path, parts);
        let mut answer = String::new();
        let read = socket.read_to_string(&mut answer);
        let end = answer.len().min(500);
        ensure!(answer.starts_with("HTTP/1.1 2"), "{path}: {sent:?}, {read:?}, {:?}", answer.get(..end));
        sent?;
        let (_, body) = answer.split_once("\r\n\r\n").context("an answer has a body")?;
        Ok(serde_json::from_str(body)?)
    }

    fn send(&self, socket: &mut TcpStream, path: &str, parts: &[Part]) -> io::Result<()> {
        let end = format!("--{BOUNDARY}--\r\n");
        let mut length = end.len() as u64;
        for part in parts {
            length += part.head().len() as u64 + part.body_length()? + 2;
        }
        write!(
            socket,
            "POST /api/v1/public{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Authorization: Bearer {}\r\nContent-Length: {length}\r\n\
             Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n\r\n",
            self.token
        )?;
        for part in parts {
            socket.write_all(part.head().as_bytes())?;
            part.send_body(socket)?;
            socket.write_all(b"\r\n")?;
        }
        socket.write_all(end.as_bytes())
    }
}

impl Part<'_> {
    fn head(&self) -> String {
        let disposition = match self {
            Part::Text(name, _) => format!("name=\"{name}\""),
            Part::File(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                format!("name=\"files\"; filename=\"{name}\"\r\nContent-Type: application/octet-stream")
            }
        };
        format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n")
    }

    fn body_length(&self) -> io::Result<u64> {
        match self {
            Part::Text(_, value) => Ok(value.len() as u64),
            Part::File(path) => Ok(path.metadata()?.len()),
        }
    }

    fn send_body(&self, socket: &mut TcpStream) -> io::Result<()> {
        match self {
            Part::Text(_, value) => socket.write_all(value.as_bytes()),
            Part::File(path) => io::copy(&mut File::open(path)?, socket).map(drop),
        }
    }
}
