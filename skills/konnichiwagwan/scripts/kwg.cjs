// Finds the command line beside this skill: in the installed folder, or in the plugin it is part of.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const places = [join(__dirname, '../dist/cli.cjs'), join(__dirname, '../../../dist/cli.cjs')];
const cli = places.find(existsSync);
if (cli === undefined) {
  console.error(`konnichiwagwan: dist/cli.cjs is missing beside ${__dirname}; install again`);
  process.exit(2);
}
require(cli);
