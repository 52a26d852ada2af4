// Loaded before the agent: ends it, as taskkill does, when the beginning of a step is in the journal, and again when the step is done
// and its end is not there yet. S:\deaths names what it has died at; it dies at each but once.
const fs = require('node:fs');

const { appendFileSync, existsSync, readFileSync, writeSync } = fs;
const DEATHS = 'S:\\deaths';

fs.writeSync = (fd, data, ...where) => {
  const { type, step } = recordIn(data);
  if (type === 'step.ended') dieOnceAt(`${step} ends`);
  const written = writeSync(fd, data, ...where);
  if (type === 'step.started') dieOnceAt(`${step} begins`);
  return written;
};

function recordIn(data) {
  const text = Buffer.isBuffer(data) ? data.toString() : String(data);
  return /^\{"v":\d+,"seq":.*\}\n$/.test(text) ? JSON.parse(text) : {};
}

function dieOnceAt(place) {
  const deaths = existsSync(DEATHS) ? readFileSync(DEATHS, 'utf8').split('\n') : [];
  if (deaths.includes(place)) return;
  appendFileSync(DEATHS, `${place}\n`);
  process.kill(process.pid, 'SIGKILL');
}
