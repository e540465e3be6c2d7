// The problems found: one line for each, with the pages that have it.

// How many pages are named for each problem.
const NAMED = 4;

export class Report {
  #steps = [];

  // Runs a step to its end, whatever it finds, so that one run reports all problems.
  async step(name, run) {
    const reasons = new Map();
    const start = performance.now();
    const problem = (page, reason) => {
      if (!reasons.has(reason)) reasons.set(reason, new Set());
      reasons.get(reason).add(page);
    };
    let summary = '';
    try {
      summary = (await run(problem)) ?? '';
    } catch (error) {
      problem('everywhere', `the step could not go on: ${short(error)}`);
    }
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const verdict = reasons.size ? `FAILED for ${count(reasons.size, 'reason')}` : 'passed';
    console.log(`-- ${name}: ${verdict} in ${seconds} s${summary && `; ${summary}`}`);
    for (const [reason, pages] of reasons) console.log(`   ${list([...pages])}: ${reason}`);
    this.#steps.push(reasons.size);
  }

  get failed() {
    return this.#steps.some((reasons) => reasons > 0);
  }
}

// The error and its location, without a browser log between the two.
function short({ message, stack }) {
  const places = stack.split('\n').filter((line) => /^ +at /.test(line));
  return [message.split('\n')[0], ...places].join('\n');
}

function list(pages) {
  const more = pages.length - NAMED;
  return pages.slice(0, NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

export function count(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
