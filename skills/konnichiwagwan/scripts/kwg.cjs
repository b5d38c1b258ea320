// The commands that the skill needs, and no other: what an agent starts here only looks. Finds the command line beside
// this skill: in the installed folder, or in the plugin it is part of.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

/** Each with its options. What is missing here writes a file, or replaces what a person decided. */
const COMMANDS = {
  status: ['--session'],
  doctor: [],
  probe: ['--session', '--spawn'],
  baseline: ['--session'],
  diff: ['--format', '--level', '--ignore', '--explain'],
  explain: ['--session'],
};
const ALWAYS = ['--json', '--help', '-h'];

const refuse = (message) => {
  console.error(`konnichiwagwan: ${message}`);
  process.exit(2);
};

const [command = '', ...rest] = process.argv.slice(2);
const names = Object.keys(COMMANDS);
if (!names.includes(command)) {
  refuse(
    `"${command.slice(0, 40)}" is no command of this skill: the first word is one of ${names.join(', ')}. ` +
      'What needs a person, or changes something, a person runs: konnichiwagwan --help',
  );
}
const allowed = [...ALWAYS, ...COMMANDS[command]];
const odd = rest.find((word) => /^-./.test(word) && !allowed.includes(word.split('=', 1)[0]));
if (odd !== undefined) refuse(`"${odd.slice(0, 40)}" is no option of ${command} in this skill`);

const places = ['../program', '../dist', '../../../dist'].map((folder) => join(__dirname, folder, 'cli.cjs'));
const cli = places.find(existsSync);
if (cli === undefined) refuse(`the program is missing beside ${__dirname}; install again`);
require(cli);
