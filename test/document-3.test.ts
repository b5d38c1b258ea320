// The requirement REQ-O-035, "tool mcp-validate Built-In Command", section by section.
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { Config } from '@oclif/core';
import Ajv from 'ajv/dist/2020.js';
import { Command, Option } from 'commander';
import yargs from 'yargs';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import {
  enableMcpValidate,
  exitCode,
  fromCommander,
  fromOclif,
  fromYargs,
  mcpValidate,
} from '../scripts/validate/kit/entry.ts';
import type { Manifest, ManifestCommand, McpValidateAnswer } from '../scripts/validate/kit/validate.d.ts';
import { startMcp } from './mcp-servers.ts';
import { drive, type Ran, runProgram } from './sandbox.ts';
import { WIRE_SCHEMA } from './wire-schema.ts';

const folder = mkdtempSync(join(tmpdir(), 'kwg-document-3-'));
after(() => remove(folder));

const write = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

/** The CLI and the wrapper of the document's own example. */
const CLI = {
  commands: {
    deploy: { flags: {}, output_schema: { type: 'object', properties: { url: { type: 'string' } } } },
    delete: { flags: {} },
  },
};
const NULL_URL = { type: 'object', properties: { url: { type: 'null' } } };
const WRAPPER = { tools: [{ name: 'deploy', inputSchema: { type: 'object' }, outputSchema: NULL_URL }] };
const PRINTED = {
  added: [],
  removed: [],
  changed: [{ command: 'deploy', field: 'data.url', cli_type: 'string', mcp_type: 'null' }],
  missing_from_mcp: ['delete'],
};

const isWire = new Ajv({ strict: true, strictTypes: false }).compile(WIRE_SCHEMA);

const oneFlag = { commands: { a: { flags: { n: { type: 'integer' } } } } };
const oneParameter = (type: string | string[]) => [
  { name: 'a', inputSchema: { type: 'object', properties: { n: { type } } } },
];

/** `string!` is required, `string…` can be given several times, `string=a` has a default. */
const typesOf = (command: ManifestCommand | undefined): Record<string, string> =>
  Object.fromEntries(
    [
      ...(command?.positionals ?? []),
      ...Object.entries(command?.flags ?? {}).map(([name, flag]) => ({ ...flag, name })),
    ].map(({ name, type = 'any', required, variadic, default: preset }) => [
      name,
      `${type}${required ? '!' : ''}${variadic ? '…' : ''}${preset === undefined ? '' : `=${preset}`}`,
    ]),
  );

write('mcp.json', WRAPPER);
write('manifest.json', CLI);

const run = (...args: string[]) =>
  drive(
    'cli.cjs',
    null,
    { HOME: folder, KONNICHIWAGWAN_HOME: join(folder, 'state') },
    ['mcp-validate', ...args],
    true,
    folder,
  );

describe('Wire Format: --output json', () => {
  const SIDES = ['--manifest', 'manifest.json', '--mcp-schema-file', 'mcp.json'];

  for (const words of [['--output', 'json'], ['--output=json'], ['-o', 'json'], ['--json', '--output', 'json']]) {
    it(`${words.join(' ')} prints the envelope, and writes no file`, async () => {
      const { code, stdout, stderr } = await run(...SIDES, ...words);
      assert.deepEqual([code, stderr], [1, '']);
      const { ok, data, error, warnings, meta } = JSON.parse(stdout);
      assert.deepEqual(
        { ok, data, error, warnings },
        { ok: false, data: { drift: PRINTED }, error: null, warnings: [] },
      );
      assert.ok(meta.duration_ms >= 0);
      assert.ok(!existsSync(join(folder, 'json')));
    });
  }

  it('an error is told in the envelope, too', async () => {
    for (const words of [['--manifest', 'gone.json', '--mcp-schema-file', 'mcp.json'], ['--no-such-option']]) {
      const { code, stdout, stderr } = await run(...words, '--output', 'json');
      assert.deepEqual([code, stderr], [2, '']);
      assert.notEqual(JSON.parse(stdout).error, null);
    }
  });

  it('--output text is what is printed without it', async () => {
    const [plain, text] = [await run(...SIDES), await run(...SIDES, '--output', 'text')];
    assert.deepEqual([text.code, text.stdout], [1, plain.stdout]);
    assert.match(text.stdout, /delete/);
    assert.ok(!existsSync(join(folder, 'text')));
  });

  it('anything else is a file, as is ./json', async () => {
    for (const name of ['report.txt', './json']) {
      const { code, stdout } = await run(...SIDES, '--output', name);
      assert.equal(code, 1);
      assert.match(stdout, /written to/);
      assert.match(readFileSync(join(folder, name), 'utf8'), /delete/);
    }
    rmSync(join(folder, 'json'));
  });

  it('two formats at once are a mistake, and no guess', async () => {
    for (const words of [
      ['--output', 'json', '--format', 'sarif'],
      ['--output', 'text', '--json'],
    ]) {
      const { code, stdout, stderr } = await run(...SIDES, ...words);
      assert.equal(code, 2);
      assert.match(stdout + stderr, /both name a format/);
    }
  });
});

/** The document's CLI: three lines add `tool mcp-validate`. Examples of the page, in a project with the frameworks. */
describe('Example: app.enable_mcp_validate()', () => {
  const project = join(folder, 'project');
  const page = readFileSync('docs/mcp-validate.md', 'utf8');
  const examples = new Map([...page.matchAll(/```js (\S+)\n([\s\S]*?)```/g)].map(([, name, text]) => [name, text]));
  const modules = join(project, 'node_modules');
  mkdirSync(modules, { recursive: true });
  for (const name of ['commander', 'yargs', '@oclif'])
    symlinkSync(resolve('node_modules', name), join(modules, name), 'junction');
  symlinkSync(resolve('.'), join(modules, 'konnichiwagwan'), 'junction');
  for (const [name, text] of examples) writeFileSync(join(project, name as string), text as string);

  const TARGET = { type: 'string', enum: ['staging', 'production'] };
  const tools = (properties: JsonObject): { tools: Contract[] } => ({
    tools: [{ name: 'deploy', inputSchema: { type: 'object', properties, required: ['target'] } }],
  });
  const goodFor = (type: string) => tools({ target: TARGET, replicaCount: { type } });
  for (const type of ['integer', 'number'])
    writeFileSync(join(project, `good-${type}.json`), JSON.stringify(goodFor(type)));
  writeFileSync(join(project, 'mcp.json'), JSON.stringify(tools({ target: TARGET, region: { type: 'string' } })));

  // Oclif finds its commands in a folder.
  const oclif = join(project, 'oclif');
  mkdirSync(join(oclif, 'commands'), { recursive: true });
  const about = { name: 'tool', version: '1.0.0', type: 'module', oclif: { bin: 'tool', commands: './commands' } };
  writeFileSync(join(oclif, 'package.json'), JSON.stringify(about));
  writeFileSync(join(oclif, 'commands/mcp-validate.js'), examples.get('oclif.mjs') as string);
  writeFileSync(
    join(oclif, 'commands/deploy.js'),
    `import { Command, Flags } from '@oclif/core';
     export default class Deploy extends Command {
       static aliases = ['ship'];
       static enableJsonFlag = true;
       static flags = {
         target: Flags.option({ options: ['staging', 'production'], required: true })(),
         'replica-count': Flags.custom({ parse: async (text) => Number(text) })(),
         secret: Flags.string({ hidden: true }),
       };
       async run() {}
     }`,
  );
  writeFileSync(
    join(oclif, 'run.mjs'),
    `import { execute } from '@oclif/core'; await execute({ dir: import.meta.url });`,
  );

  const start = (file: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
    runProgram(process.execPath, [join(project, file), ...args], { cwd: project, env: { HOME: folder, ...env } });

  let inTurn: ChildProcess | undefined;
  after(() => inTurn?.kill());
  /** As `start`, but without a process for each: to load these frameworks takes most of the time. */
  const play = async (file: string, args: string[], env: NodeJS.ProcessEnv = {}) => {
    if (process.env.KONNICHIWAGWAN_BUILT === '1') return start(file, args, env);
    inTurn ??= fork(resolve('test/programs-in-turn.mjs'), {
      cwd: project,
      env: { PATH: process.env.PATH },
      execArgv: [],
    });
    inTurn.send({ file: join(project, file), args, env: { PATH: process.env.PATH, HOME: folder, ...env } });
    const [ran] = await once(inTurn, 'message');
    return ran as Pick<Ran, 'stdout' | 'stderr' | 'code'>;
  };

  const REPLICAS = { command: 'deploy', field: 'replica-count', mcp_type: null };
  for (const [file, type] of [
    ['commander.mjs', 'integer'],
    ['yargs.mjs', 'number'],
    ['oclif/run.mjs', 'number'],
  ] as const) {
    describe(file, () => {
      const line = (...args: string[]) => play(file, ['mcp-validate', ...args]);

      it('mcp-validate --mcp-schema-file mcp.json --output json: exit 1 if drift is detected', async () => {
        const args = ['mcp-validate', '--mcp-schema-file', 'mcp.json', '--output', 'json'];
        const { code, stdout, stderr } = await start(file, args);
        assert.deepEqual([code, stderr], [1, '']);
        const { meta, ...answer } = JSON.parse(stdout);
        assert.deepEqual(answer, {
          ok: false,
          data: {
            drift: {
              added: [{ ...REPLICAS, cli_type: type }],
              removed: [{ command: 'deploy', field: 'region', cli_type: null, mcp_type: 'string' }],
              changed: [],
              missing_from_mcp: [],
            },
          },
          error: null,
          warnings: [],
        });
        assert.ok(meta.duration_ms >= 0);
      });

      it('exit 0 if no drift; its own command needs no tool', async () => {
        const { code, stdout, stderr } = await line('--mcp-schema-file', `good-${type}.json`);
        assert.deepEqual([code, stderr], [0, '']);
        assert.match(stdout, /^2 commands, 1 tool: 1 compared, 1 left out: no drift\n$/);
      });

      it('--output FILE writes the report that is printed without it', async () => {
        const printed = await line('--mcp-schema-file', 'mcp.json', '--output', 'text');
        const written = await line('--mcp-schema-file', 'mcp.json', '--output', 'report.txt');
        assert.deepEqual([printed.code, written.code], [1, 1]);
        assert.match(printed.stdout, /`region` \(string, optional\) is in the tool, and not in the CLI/);
        assert.equal(readFileSync(join(project, 'report.txt'), 'utf8'), printed.stdout);
      });

      it('exit 2, never 1, where it could not be checked', async () => {
        for (const args of [[], ['--no-such-option'], ['--mcp-schema-file', 'gone.json'], ['--mcp-schema-file']]) {
          const { code, stderr } = await line(...args);
          assert.equal(code, 2, args.join(' '));
          assert.notEqual(stderr, '');
        }
        const { code, stdout } = await line('--mcp-schema-file', 'gone.json', '--output', 'json');
        const { ok, data, error } = JSON.parse(stdout);
        assert.deepEqual([code, ok, data, error.code], [2, false, null, 'unreadable']);
      });

      it('--mcp-server-url asks the server', async () => {
        const mcp = await startMcp('modern', { tools: goodFor(type).tools });
        try {
          // biome-ignore lint/suspicious/noTemplateCurlyInString: the command fills it in
          const header = 'X-Key: ${MY_KEY}';
          const args = ['mcp-validate', '--mcp-server-url', mcp.url, '--output', 'json', '--header', header];
          const { code, stdout, stderr } = await play(file, args, { MY_KEY: 'key of mine' });
          assert.deepEqual([code, stderr, JSON.parse(stdout).ok], [0, '', true]);
          assert.equal(mcp.headers()['x-key'], 'key of mine');
          const unset = await play(file, args);
          assert.deepEqual([unset.code, JSON.parse(unset.stdout).error.code], [2, 'usage']);
        } finally {
          await mcp.close();
        }
        const { code } = await line('--mcp-server-url', mcp.url);
        assert.equal(code, 2);
      });

      it('--help names the options, and is no drift', async () => {
        const { code, stdout } = await line('--help');
        assert.equal(code, 0);
        for (const option of ['mcp-schema-file', 'mcp-server-url', 'output']) assert.ok(stdout.includes(`--${option}`));
      });
    });
  }

  const OWN_OUTPUT = {
    commander: `import { Command } from 'commander'; import { enableMcpValidate } from 'konnichiwagwan/validate';
      const program = new Command('tool').option('-o, --output <format>', 'How', 'table');
      enableMcpValidate(program).parse();`,
    yargs: `import yargs from 'yargs'; import { enableMcpValidate } from 'konnichiwagwan/validate';
      enableMcpValidate(yargs(process.argv.slice(2)).option('output', { alias: 'o', default: 'table' })).parse();`,
  };
  for (const [name, source] of Object.entries(OWN_OUTPUT)) {
    it(`${name}: a program that has an --output of its own, with a default`, async () => {
      writeFileSync(join(project, `${name}-output.mjs`), source);
      const line = (...args: string[]) =>
        play(`${name}-output.mjs`, ['mcp-validate', '--mcp-schema-file', 'good-number.json', ...args]);
      assert.equal(JSON.parse((await line('--output', 'json')).stdout).ok, false);
      const { code, stdout } = await line();
      assert.deepEqual([code, existsSync(join(project, 'table'))], [1, false]);
      assert.match(stdout, /no command for the tool/);
    });
  }

  it('commander: what the program requires is not required of mcp-validate', async () => {
    writeFileSync(
      join(project, 'requires.mjs'),
      `import { Command } from 'commander'; import { enableMcpValidate } from 'konnichiwagwan/validate';
       const program = new Command('tool').requiredOption('--key <key>', 'Yours');
       program.command('push').action(() => console.log('pushed'));
       enableMcpValidate(program).parse();`,
    );
    const key = { key: { type: 'string' } };
    const push = { name: 'push', inputSchema: { type: 'object', properties: key, required: ['key'] } };
    write('project/push.json', [push]);
    const { code, stdout, stderr } = await play('requires.mjs', [
      'mcp-validate',
      '--mcp-schema-file',
      'push.json',
      '--output',
      'json',
    ]);
    assert.deepEqual([code, stderr, JSON.parse(stdout).data.drift.removed], [0, '', []]);
    const other = await play('requires.mjs', ['push']);
    assert.deepEqual([other.code, other.stdout], [1, '']);
  });

  it('the function prints nothing of its own', async () => {
    const { code, stdout, stderr } = await start('function.mjs', []);
    const [drift, exit] = stdout.split('\n');
    assert.deepEqual([code, stderr, exit], [0, '', '1']);
    const target = { command: 'deploy', field: 'target', cli_type: 'string', mcp_type: null };
    assert.deepEqual(JSON.parse(drift as string), {
      added: [target],
      removed: [],
      changed: [],
      missing_from_mcp: ['delete'],
    });
  });

  it('an adapter makes a manifest', async () => {
    assert.deepEqual(await start('adapter.mjs', []).then(({ stdout }) => stdout), "[ 'delete' ]\n");
  });
});

describe('Description: the same result as the command, without a process', () => {
  for (const [what, cli, mcp, ...args] of [
    ['drift', CLI, WRAPPER],
    ['no drift', { commands: { deploy: {} } }, [{ name: 'deploy', inputSchema: { type: 'object' } }]],
    ['no manifest', { commands: 5 }, WRAPPER],
    ['no tool list', CLI, { tools: [{}] }],
    ['one page of a list', CLI, { ...WRAPPER, nextCursor: 'x' }],
    ['null for what is optional', oneFlag, oneParameter(['integer', 'null'])],
    ['null for what is optional, strictly', oneFlag, oneParameter(['integer', 'null']), '--strict'],
  ] as const) {
    it(what, async () => {
      const [left, right] = [write(`${what} cli.json`, cli), write(`${what} mcp.json`, mcp)];
      const { code, stdout } = await run('--manifest', left, '--mcp-schema-file', right, '--output', 'json', ...args);
      const [printed, answer] = [
        JSON.parse(stdout) as McpValidateAnswer,
        mcpValidate({ ...(cli as Manifest), mcp, ...(args.length > 0 ? { strict: true } : {}) }),
      ];
      const { duration_ms: _printed, ...there } = printed.meta;
      const { duration_ms: _here, ...here } = answer.meta;
      assert.deepEqual(
        [answer.ok, answer.data, answer.error?.code, answer.warnings, here],
        [printed.ok, printed.data, printed.error?.code, printed.warnings, there],
      );
      assert.equal(exitCode(answer), code);
      assert.ok(isWire(answer), JSON.stringify(isWire.errors));
    });
  }

  it('what is no JSON is an error of the answer, and never an exception', () => {
    const circle: Record<string, unknown> = {};
    circle.itself = circle;
    for (const mcp of [circle, { tools: 1n }, () => {}])
      assert.equal(mcpValidate({ commands: {}, mcp }).error?.code, 'not-json');
    assert.equal(mcpValidate({ commands: circle as Manifest['commands'], mcp: [] }).error?.code, 'not-json');
    assert.equal(mcpValidate({ commands: {}, mcp: [], map: { a: 'x', b: 'x' } }).error?.code, 'not-a-map');
  });
});

describe('REQ-O-041: the manifest is made from the program', () => {
  it('commander', () => {
    const program = new Command('tool').option('--verbose').version('1.0.0');
    program
      .command('deploy')
      .alias('ship')
      .description('Deploys.')
      .argument('<target>')
      .argument('[hosts...]')
      .requiredOption('-r, --replica-count <n>', 'How many', Number.parseInt)
      .option('--ratio <n>', '', Number.parseFloat)
      .option('--own <n>', '', (text) => ({ text }))
      .option('--maybe [value]')
      .option('--no-colour')
      .option('--tags <tag...>')
      .addOption(new Option('--level <name>').choices(['a', 'b']).default('a'))
      .addOption(new Option('--secret').hideHelp())
      .action(() => {});
    const db = program.command('db').option('--url <url>');
    db.command('migrate').action(() => {});
    program.command('hidden', { hidden: true }).action(() => {});
    enableMcpValidate(program);
    const { commands, flags } = fromCommander(program);
    assert.deepEqual(Object.keys(commands), ['deploy', 'db', 'db.migrate', 'mcp-validate']);
    assert.deepEqual(typesOf(commands.deploy), {
      target: 'string!',
      hosts: 'string…',
      'replica-count': 'integer!',
      ratio: 'number',
      own: 'any',
      maybe: 'any',
      colour: 'boolean=true',
      tags: 'string…',
      level: 'enum=a',
    });
    assert.deepEqual([commands.deploy?.aliases, commands.deploy?.description], [['ship'], 'Deploys.']);
    assert.equal(commands.deploy?.flags?.['replica-count']?.short, 'r');
    assert.deepEqual([commands.db?.subcommands, typesOf(commands['db.migrate'])], [['migrate'], { url: 'string' }]);
    assert.deepEqual(Object.keys(flags ?? {}), ['verbose', 'version']);
    assert.equal(commands['mcp-validate']?.mcp, false);
  });

  it('commander: what a flag or a program of its own takes may be open', () => {
    const program = new Command('tool').command('plugin [name]', 'Is another program.');
    program
      .command('build')
      .option('--cache <folder>', 'Where')
      .option('--no-cache')
      .option('--log')
      .option('--no-log')
      .action(() => {});
    const manifest = fromCommander(program);
    assert.deepEqual(typesOf(manifest.commands.build), { cache: 'any', log: 'boolean' });
    const open = { type: 'object', properties: { anything: { type: 'string' } } };
    const properties = { cache: { type: ['string', 'boolean'] }, log: { type: 'boolean' } };
    const build = { name: 'build', inputSchema: { type: 'object', properties } };
    const plugin = { name: 'plugin', inputSchema: open };
    assert.equal(mcpValidate({ ...manifest, mcp: [build, plugin] }).ok, true);
    assert.deepEqual(mcpValidate({ ...manifest, mcp: [build] }).data?.drift.missing_from_mcp, ['plugin']);
  });

  it('commander: a flag with a parser, and listed values that a flag may leave out, are open, too', () => {
    const count = (_: string, before: number): number => before + 1;
    const program = new Command('tool');
    program
      .command('list')
      .option('-d, --depth', 'How deep; may be repeated', count, 0)
      .option('--quiet')
      .addOption(new Option('--sort [by]').choices(['name', 'date']))
      .addOption(new Option('--wrap <where>').choices(['word', 'line']))
      .option('--no-wrap')
      .addOption(new Option('--style <name>').choices(['long', 'short']))
      .action(() => {});
    const manifest = fromCommander(program);
    const open = { depth: 'any=0', quiet: 'boolean', sort: 'any', wrap: 'any', style: 'enum' };
    assert.deepEqual(typesOf(manifest.commands.list), open);
    const orFlag = (...values: string[]) => ({ anyOf: [{ type: 'boolean' }, { enum: values }] });
    const properties = (style: string, quiet: string) => ({
      depth: { type: 'integer', default: 0 },
      quiet: { type: quiet },
      sort: orFlag('name', 'date'),
      wrap: orFlag('word', 'line'),
      style: { enum: ['long', style] },
    });
    const driftOf = (style: string, quiet: string) =>
      mcpValidate({
        ...manifest,
        mcp: [{ name: 'list', inputSchema: { type: 'object', properties: properties(style, quiet) } }],
      }).data?.drift.changed.map(({ field }) => field);
    assert.deepEqual(driftOf('short', 'boolean'), []);
    assert.deepEqual(driftOf('tiny', 'integer'), ['quiet', 'style']);
  });

  it('commander: a program without subcommands is a command itself', () => {
    const program = new Command('tool').option('--force').action(() => {});
    assert.deepEqual(typesOf(fromCommander(program).commands.tool), { force: 'boolean' });
  });

  it('yargs', async () => {
    const program = yargs([])
      .scriptName('tool')
      .option('verbose', { alias: 'v', type: 'boolean' })
      .command(
        ['deploy <target> [hosts..]', 'ship'],
        'Deploys.',
        (builder) =>
          builder
            .positional('target', { choices: ['staging', 'production'] })
            .option('replica-count', { alias: 'r', type: 'number', demandOption: true })
            .option('t', { alias: 'tag', array: true, string: true })
            .options({ level: { choices: ['a', 'b'], default: 'a' }, secret: { hidden: true } })
            .options({ mixed: { type: 'array' }, both: { array: true }, counts: { array: true, type: 'number' } })
            .boolean(['dry-run', 'force'])
            .count('loud')
            .demandOption('dry-run')
            .option('own', {})
            .check(() => true),
        () => {},
      )
      .command('db', 'Databases.', async (builder) =>
        builder
          .option('url', { type: 'string' })
          .command(['migrate [steps]', 'up'], 'Migrates.', { wait: { boolean: true } }, () => {})
          .command({ command: 'drop', describe: 'Drops.', builder: { all: { type: 'boolean' } }, handler: () => {} })
          .demandCommand(),
      )
      .command('hidden', false, {}, () => {});
    enableMcpValidate(program);
    const { commands, flags } = await fromYargs(program);
    assert.deepEqual(Object.keys(commands), ['deploy', 'db', 'db.migrate', 'db.drop', 'mcp-validate']);
    assert.deepEqual(typesOf(commands.deploy), {
      target: 'enum!',
      hosts: 'any…',
      'replica-count': 'number!',
      tag: 'string…',
      level: 'enum=a',
      mixed: 'any…',
      both: 'any…',
      counts: 'number…',
      'dry-run': 'boolean!',
      force: 'boolean',
      loud: 'integer',
      own: 'any',
    });
    assert.deepEqual([commands.deploy?.aliases, commands['db.migrate']?.aliases], [['ship'], ['up']]);
    assert.deepEqual([commands.deploy?.flags?.tag?.short, flags?.verbose?.short], ['t', 'v']);
    assert.deepEqual(commands.db?.subcommands, ['migrate', 'drop']);
    assert.deepEqual(typesOf(commands['db.migrate']), { steps: 'any', url: 'string', wait: 'boolean' });
    assert.deepEqual(typesOf(commands['db.drop']), { url: 'string', all: 'boolean' });
    assert.equal(commands['mcp-validate']?.mcp, false);
  });

  it('yargs: a command that only holds others takes nothing itself', async () => {
    const holder = (handler?: () => void) =>
      yargs([])
        .scriptName('tool')
        .command('db', 'Databases.', (builder) => builder.command('drop', 'Drops.', {}, () => {}), handler);
    const holds = async (handler?: () => void) => (await fromYargs(holder(handler))).commands.db?.subcommands;
    assert.deepEqual(await holds(), ['drop']);
    assert.equal(await holds(() => process.exit()), undefined, 'it can be called, too');
  });

  it('yargs: an option that takes several values at once is a list', async () => {
    const program = yargs([])
      .scriptName('tool')
      .option('area', { nargs: 4, number: true })
      .command(
        'crop',
        'Crops.',
        (builder) =>
          builder
            .number('at')
            .nargs('at', 2)
            .option('to', { type: 'string', nargs: 3 })
            .option('one', { type: 'string', nargs: 1 })
            .nargs({ all: 2 })
            .string('all'),
        () => {},
      );
    const { commands, flags } = await fromYargs(program);
    assert.deepEqual(typesOf(commands.crop), { at: 'number…', to: 'string…', one: 'string', all: 'string…' });
    assert.equal(typesOf({ flags } as ManifestCommand).area, 'number…');
  });

  it('yargs: a default command is called as the program is', async () => {
    const program = yargs([])
      .scriptName('tool')
      .command('$0 <file>', 'Reads.', { force: { type: 'boolean' } }, () => {});
    assert.deepEqual(typesOf((await fromYargs(program)).commands.tool), { file: 'any!', force: 'boolean' });
  });

  it('yargs: what cannot be found out is said, and no command is left out in silence', async () => {
    const throws = yargs([]).command('a', '', () => {
      throw new Error('not here');
    });
    await assert.rejects(fromYargs(throws), /`a` takes cannot be found out/);
    const folders = yargs([]).command('a', '', (builder) => builder.commandDir('x'));
    await assert.rejects(fromYargs(folders), /`commandDir`/);
  });

  it('oclif', async () => {
    const config = await Config.load(join(folder, 'project/oclif/'));
    const { commands, flags } = await fromOclif(config);
    assert.deepEqual(Object.keys(commands), ['deploy', 'mcp-validate']);
    assert.deepEqual(typesOf(commands.deploy), { target: 'enum!', 'replica-count': 'number' });
    assert.deepEqual([commands.deploy?.aliases, Object.keys(flags ?? {})], [['ship'], ['json']]);
    assert.equal(commands['mcp-validate']?.mcp, false);
  });

  it('oclif: what its own plugins bring is marked, and no command of the program', async () => {
    const { commands } = await fromOclif({
      commands: [
        { id: 'help', pluginName: '@oclif/plugin-help' },
        { id: 'deploy', pluginName: 'tool' },
        { id: 'ship' },
      ],
      findCommand: () => undefined,
    });
    assert.deepEqual(
      Object.entries(commands).map(([name, { builtin }]) => [name, builtin]),
      [
        ['help', true],
        ['deploy', undefined],
        ['ship', undefined],
      ],
    );
  });

  it('refuses what is no program', () => {
    for (const program of [{}, () => {}, null]) {
      assert.throws(() => enableMcpValidate(program as unknown as Command), /takes a program of commander or yargs/);
    }
  });
});
