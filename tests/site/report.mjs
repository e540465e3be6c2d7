// What was found wrong, one line a reason with the pages it was found on.

// So many pages a reason names.
const NAMED = 4;

export class Report {
  #steps = [];

  // Runs a step to its end, whatever it finds, so that one run tells everything.
  async step(name, run) {
    const reasons = new Map();
    const start = performance.now();
    const problem = (page, reason) => {
      if (!reasons.has(reason)) reasons.set(reason, new Set());
      reasons.get(reason).add(page);
    };
    let told = '';
    try {
      told = (await run(problem)) ?? '';
    } catch (error) {
      problem('everywhere', `the step could not go on: ${short(error)}`);
    }
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const verdict = reasons.size ? `FAILED for ${count(reasons.size, 'reason')}` : 'passed';
    console.log(`-- ${name}: ${verdict} in ${seconds} s${told && `; ${told}`}`);
    for (const [reason, pages] of reasons) console.log(`   ${list([...pages])}: ${reason}`);
    this.#steps.push(reasons.size);
  }

  get failed() {
    return this.#steps.some((reasons) => reasons > 0);
  }
}

// What failed and where, without the log of a browser that may stand between the two.
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
