import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fs } from 'zx';
import { clean, folder, REAL } from './run.ts';

/** Two other diff tools, on the same pair in the same run, if they accept it. They are downloaded only for this. */
export const rivalRows = (): void => {
  if (!fs.existsSync(REAL)) return;
  const home = join(folder, 'rivals');
  mkdirSync(home, { recursive: true });
  const packages = ['json-schema-diff', 'json-schema-diff-validator'];
  const installed = spawnSync('npm', [
    'install',
    '--prefix',
    home,
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    ...packages,
  ]);
  if (installed.status !== 0) {
    console.log('\nThe other differs could not be fetched.');
    return;
  }
  const script = `
    const list = (file) => new Map(JSON.parse(require('fs').readFileSync(file, 'utf8')).tools.map((tool) => [tool.name, tool.inputSchema]));
    const [name, before, after] = process.argv.slice(2);
    const rival = require(name);
    (async () => {
      const [old, now] = [list(before), list(after)];
      const start = performance.now();
      let refused = 0, pairs = 0;
      for (const [tool, schema] of old) {
        if (!now.has(tool)) continue;
        pairs++;
        try {
          if (name === 'json-schema-diff') await rival.diffSchemas({ sourceSchema: schema, destinationSchema: now.get(tool) });
          else rival.validateSchemas ? rival.validateSchemas(schema, now.get(tool)) : rival(schema, now.get(tool));
        } catch { refused++; }
        if (performance.now() - start > 60000) break;
      }
      console.log(JSON.stringify({ ms: performance.now() - start, refused, pairs }));
    })();`;
  writeFileSync(join(home, 'rival.cjs'), script);
  for (const name of packages) {
    const args = [join(home, 'rival.cjs'), name, join(REAL, '2.2.1.json'), join(REAL, '2.4.1.json')];
    const { stdout } = spawnSync(process.execPath, args, { env: clean, encoding: 'utf8', timeout: 90_000 });
    const { ms, refused, pairs } = JSON.parse(stdout || '{"ms":90000,"refused":0,"pairs":0}') as Record<string, number>;
    console.log(`| ${name}, the same pair | ${ms?.toFixed(1)} (refuses ${refused} of ${pairs} tools) | | |`);
  }
};
