// Full tier: a process for each installation.
// The installer and what others wrote into settings.json.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { registrations } from '../scripts/install/hooks.ts';
import { addItems, DENY, removeItems } from '../scripts/install/lists.ts';
import { isRegistered, register, unregister } from '../scripts/install/settings.ts';
import { backups, freshHome, groups, listing, RULES, THEIRS } from './install-home.ts';
import { checkRandomly } from './random-runs.ts';

describe('other people in settings.json', () => {
  it('keep their hooks on the same events and matchers', async () => {
    const { skill, ok, write, parsed } = freshHome();
    write(JSON.stringify(THEIRS, null, 2));
    await ok(['install']);
    const { hooks, ...rest } = parsed();
    const ours = groups(join(skill, 'dist'));
    assert.deepEqual(hooks, {
      ...ours,
      PreToolUse: [...THEIRS.hooks.PreToolUse, ...ours.PreToolUse],
      SessionStart: [...THEIRS.hooks.SessionStart, ...ours.SessionStart],
      Stop: [],
    });
    assert.deepEqual(Object.keys(parsed()), Object.keys(THEIRS));
    assert.deepEqual(rest.permissions, { ...THEIRS.permissions, deny: RULES });
    assert.deepEqual({ ...rest, hooks: THEIRS.hooks, permissions: THEIRS.permissions }, { ...THEIRS });
  });

  const spread = JSON.stringify(THEIRS, null, 2);
  const layouts: Record<string, string> = {
    'two spaces': `${spread}\n`,
    'four spaces, no newline at the end': JSON.stringify(THEIRS, null, 4),
    tabs: `${JSON.stringify(THEIRS, null, '\t')}\n`,
    CRLF: `${spread.replaceAll('\n', '\r\n')}\r\n`,
    BOM: `\ufeff${spread}\n`,
    'one line': JSON.stringify(THEIRS),
    'hooks on one line': '{\n  "a": 1,\n  "hooks": { "PreToolUse": [] }\n}\n',
    'empty hooks': '{\n\t"hooks": {},\n\t"b": "\\u00e9 \ud83d\ude00 }{"\n}',
    'blank lines and odd spaces': '\n\n{ "x" :1 ,\n\n      "hooks":{"SessionStart":[ ] } }  \n\n',
    'empty object': '{}',
  };
  for (const [name, text] of Object.entries(layouts)) {
    it(`every byte of theirs survives: ${name}`, async () => {
      const { home, settings, skill, ok, write, read, parsed } = freshHome();
      write(text);
      chmodSync(settings, 0o640);
      const untouched = listing(home);
      await ok(['install']);
      const installed = read();
      const theirs = JSON.parse(text.replace(/^\ufeff/, ''));
      for (const [event, own] of Object.entries(groups(join(skill, 'dist')))) {
        assert.deepEqual(parsed().hooks[event], [...(theirs.hooks?.[event] ?? []), ...own]);
      }
      assert.equal(installed.startsWith('\ufeff'), text.startsWith('\ufeff'));
      assert.equal(/\n*$/.exec(installed)?.[0], /\n*$/.exec(text)?.[0]);
      if (text.includes('\r\n')) assert.doesNotMatch(installed, /[^\r]\n/);
      if (name === 'tabs') assert.doesNotMatch(installed, /\n +/);
      if (name === 'one line') assert.doesNotMatch(installed, /\n|": /);
      assert.equal(statSync(settings).mode & 0o777, 0o640);

      const before = listing(home);
      assert.match((await ok(['install'])).stdout, /nothing to change/);
      assert.deepEqual(listing(home), before);

      await ok(['uninstall']);
      assert.deepEqual(listing(home), untouched);
    });
  }

  it('what they write between install and uninstall survives', async () => {
    const { home, settings, ok, write, read } = freshHome();
    const text = `${JSON.stringify(THEIRS, null, 2)}\n`;
    write(text);
    await ok(['install']);
    write(read().replace('"opus"', '"sonnet"'));
    const { stdout } = await ok(['uninstall']);
    assert.match(stdout, /what install added is taken out/);
    assert.deepEqual(Object.keys(listing(home)), [dirname(settings), settings]);
    assert.equal(read(), text.replace('"opus"', '"sonnet"'));
  });

  it('what they write into a file that we made survives; only ours alone goes with the file', async () => {
    const { home, claude, settings, ok, write, read } = freshHome();
    await ok(['install']);
    write(read().replace('{\n', '{\n  "model": "opus",\n'));
    await ok(['uninstall']);
    assert.equal(read(), '{\n  "model": "opus"\n}\n');
    rmSync(claude, { recursive: true });
    await ok(['install']);
    write(JSON.stringify(JSON.parse(read())));
    await ok(['uninstall']);
    assert.deepEqual(listing(home), {});
    assert.ok(!existsSync(settings));
  });

  it('a re-install after their edit does not let uninstall bring the old file back', async () => {
    const { ok, write, read, parsed } = freshHome();
    write('{"model":"opus"}');
    await ok(['install']);
    write(JSON.stringify({ ...parsed(), model: 'sonnet' }));
    await ok(['install']);
    await ok(['uninstall']);
    assert.equal(read(), '{"model":"sonnet"}');
  });

  it('hooks that they deleted come back, and the new state is the one restored', async () => {
    const { home, ok, write, read } = freshHome();
    write('{"model":"opus"}\n');
    await ok(['install']);
    write('{"model":"haiku"}\n');
    await ok(['install']);
    assert.ok(isRegistered(read()));
    await ok(['uninstall']);
    assert.equal(read(), '{"model":"haiku"}\n');
    assert.equal(Object.keys(listing(home)).length, 2);
  });

  it('a damaged backup is not restored', async () => {
    const { claude, ok, write, read } = freshHome();
    write('{"model":"opus"}\n');
    await ok(['install']);
    writeFileSync(join(claude, backups(claude)[0] as string), '{}');
    await ok(['uninstall']);
    assert.equal(read(), '{"model":"opus"}\n');
  });
});

describe('settings that cannot be merged are left alone, and nothing else is done', () => {
  const cases: [name: string, text: string | Buffer, where: RegExp][] = [
    ['not JSON', '{\n  "model": opus\n}', /line 2, column 12: not valid JSON: expected a value, found `o`/],
    ['a comment', '// mine\n{}', /line 1, column 1: not valid JSON/],
    ['a trailing comma', '{\r\n  "a": 1,\r\n}', /line 3, column 1: not valid JSON: expected a key/],
    ['cut off', '{"hooks": {"Stop": [', /line 1, column 21: .*the end of the file/],
    ['something behind it', '{}\n{}', /line 2, column 1: /],
    ['an open string', '{"a": "b\n"}', /line 1, column 7: .*not closed/],
    ['a number that breaks off', '{"a": 1.}', /line 1, column 7: .*a number that is not finished/],
    ['a key without quotes', '{a: 1}', /line 1, column 2: .*expected a key in double quotes, found `a`/],
    ['no colon', '{"a" 1}', /line 1, column 6: .*expected `:`, found `1`/],
    ['no comma', '{"a": [1 2]}', /line 1, column 10: .*expected `,` or `]`, found `2`/],
    ['nested too deep', '['.repeat(5000), /nested deeper/],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
    ['an array', '[]', /not an object/],
    ['null', 'null', /not an object/],
    ['hooks is an array', '{\n  "hooks": []\n}', /line 2, column 12: `hooks` is not an object/],
    ['hooks is null', '{"hooks":null}', /`hooks` is not an object/],
    ['an event is an object', '{"hooks":{"PreToolUse":{}}}', /`hooks.PreToolUse` is not an array/],
    ['a group is a string', '{"hooks":{"PreToolUse":["x"]}}', /not an object/],
    ['a group without hooks', '{"hooks":{"Stop":[{"matcher":"x"}]}}', /has no `hooks`/],
    ['hooks of a group are an object', '{"hooks":{"SessionStart":[{"hooks":{}}]}}', /not an array/],
    ['a hook is a string', '{"hooks":{"SessionStart":[{"hooks":["x"]}]}}', /not an object/],
    ['permissions are an array', '{\n  "permissions": []\n}', /line 2, column 18: `permissions` is not an object/],
    ['permissions are null', '{"permissions":null}', /`permissions` is not an object/],
    ['deny is a string', '{"permissions":{"deny":"Edit"}}', /`permissions.deny` is not an array/],
    ['deny is an object', '{"permissions":{"allow":[],"deny":{}}}', /`permissions.deny` is not an array/],
    ['allow is a number', '{"permissions":{"allow":5}}', /`permissions.allow` is not an array/],
    ['a matcher is a number', '{"hooks":{"PreToolUse":[{"matcher":5,"hooks":[]}]}}', /not a string/],
  ];
  for (const [name, text, where] of cases) {
    it(name, async () => {
      const { home, settings, run, write } = freshHome();
      write(text);
      const untouched = listing(home);
      for (const args of [['install'], ['install', '--dry-run']]) {
        const { exit, stderr } = await run(args);
        assert.equal(exit, 2);
        assert.match(stderr, where);
        assert.ok(stderr.includes(settings), stderr);
        assert.match(stderr, /Nothing was changed/);
        assert.deepEqual(listing(home), untouched);
      }
    });
  }

  it('nor does uninstall touch what it cannot read', async () => {
    const { home, ok, run, write, read } = freshHome();
    await ok(['install']);
    write(read().slice(0, -4));
    const untouched = listing(home);
    assert.equal((await run(['uninstall'])).exit, 2);
    assert.deepEqual(listing(home), untouched);
  });

  it('an event that we do not use may have any shape, as for Claude Code', async () => {
    const { ok, write, parsed } = freshHome();
    write('{"hooks":{"Stop":{}}}');
    await ok(['install']);
    assert.deepEqual(parsed().hooks.Stop, {});
  });

  it('a folder in the place of the file', async () => {
    const { home, settings, run } = freshHome();
    mkdirSync(settings, { recursive: true });
    const untouched = listing(home);
    assert.equal((await run(['install'])).exit, 2);
    assert.deepEqual(listing(home), untouched);
  });
});

it('any settings, in any layout: what was there stays, and taking our hooks out gives back the very text', async (test) => {
  const anyHook = fc.oneof(
    fc.record({ type: fc.constant('command'), command: fc.string() }),
    fc.record({ type: fc.constant('http'), url: fc.webUrl(), timeout: fc.nat() }),
  );
  const group = fc.record(
    { matcher: fc.string(), hooks: fc.array(anyHook, { maxLength: 3 }) },
    { requiredKeys: ['hooks'] },
  );
  const event = fc.constantFrom('PreToolUse', 'SessionStart', 'PostToolUseFailure', 'Stop', '__proto__');
  const hooks = fc.dictionary(event, fc.array(group, { maxLength: 3 }), { maxKeys: 4 });
  const rest = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
  const indent = fc.constantFrom('', ' ', '  ', '    ', '\t');
  const settings = fc.tuple(rest, fc.option(hooks, { nil: undefined }), rest, indent, fc.boolean(), fc.boolean());
  const wanted = registrations('/home/x/.claude/skills/konnichiwagwan/dist');
  checkRandomly(
    test,
    fc.property(settings, ([head, ours, tail, space, crlf, bom]) => {
      const object = JSON.parse(JSON.stringify({ ...head, ...(ours ? { hooks: ours } : {}), ...tail }));
      fc.pre(!('hooks' in head) && !('hooks' in tail));
      const lines = `${JSON.stringify(object, null, space)}\n`;
      const text = (bom ? '\ufeff' : '') + (crlf ? lines.replaceAll('\n', '\r\n') : lines);
      const { text: merged, made } = register(text, wanted);
      const parsed = JSON.parse(merged.replace(/^\ufeff/, ''));
      for (const { event } of wanted) {
        const own = wanted
          .filter((one) => one.event === event)
          .map(({ matcher, hook }) => ({ ...(matcher ? { matcher } : {}), hooks: [hook] }));
        assert.deepEqual(parsed.hooks[event], [...(object.hooks?.[event] ?? []), ...own]);
      }
      assert.equal(register(merged, wanted).text, merged);
      assert.equal(unregister(merged, made), text);
    }),
    { numRuns: 300 },
  );
});

it('any settings, in any layout: taking our rules out gives back the very text', async (test) => {
  const rule = fc.oneof(fc.constantFrom(...RULES), fc.jsonValue({ maxDepth: 1 }));
  const lists = fc.record(
    { allow: fc.array(rule, { maxLength: 2 }), deny: fc.array(rule, { maxLength: 3 }), mode: fc.string() },
    { requiredKeys: [] },
  );
  const rest = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
  const indent = fc.constantFrom('', '  ', '\t');
  checkRandomly(
    test,
    fc.property(rest, fc.option(lists, { nil: undefined }), rest, indent, (head, theirs, tail, space) => {
      fc.pre(!('permissions' in head) && !('permissions' in tail));
      const object = JSON.parse(JSON.stringify({ ...head, ...(theirs ? { permissions: theirs } : {}), ...tail }));
      const text = `${JSON.stringify(object, null, space)}\n`;
      const { text: ruled, added, made } = addItems(text, DENY, RULES);
      assert.deepEqual(JSON.parse(ruled).permissions.deny, [...(object.permissions?.deny ?? []), ...added]);
      assert.deepEqual(addItems(ruled, DENY, RULES), { text: ruled, added: [], made: [] });
      assert.equal(removeItems(ruled, DENY, added, made), text);
    }),
    { numRuns: 300 },
  );
});

describe('hooks of others beside ours', () => {
  const wanted = registrations('/home/x/.claude/skills/konnichiwagwan/dist');
  const theirs = { matcher: 'Bash', hooks: [{ type: 'command', command: 'theirs' }] };
  const [guard] = wanted.flatMap(({ event, matcher, hook }) =>
    event === 'PreToolUse' ? [{ matcher, hooks: [hook] }] : [],
  );
  type Hooks = Record<string, unknown[]>;
  const { text: installed, made } = register('{}', wanted);
  const edited = (edit: (hooks: Hooks) => void): string => {
    const settings = JSON.parse(installed);
    edit(settings.hooks);
    return JSON.stringify(settings);
  };
  const odd: [string, (hooks: Hooks) => void, Hooks][] = [
    ['in another group of an event that we made', (hooks) => hooks.PreToolUse?.push(theirs), { PreToolUse: [theirs] }],
    [
      'in our own group',
      (hooks) =>
        Object.assign(hooks, { PreToolUse: [{ ...guard, hooks: [...(guard?.hooks ?? []), ...theirs.hooks] }] }),
      { PreToolUse: [{ ...guard, hooks: theirs.hooks }] },
    ],
    ['in another event', (hooks) => Object.assign(hooks, { Stop: [theirs] }), { Stop: [theirs] }],
    [
      'between two of ours',
      (hooks) => Object.assign(hooks, { PreToolUse: [guard, theirs, guard] }),
      { PreToolUse: [theirs] },
    ],
    [
      'beside one of ours that does not belong there',
      (hooks) => Object.assign(hooks, { Stop: [theirs, guard] }),
      { Stop: [theirs] },
    ],
  ];
  for (const [what, edit, left] of odd) {
    it(`${what} stay when ours are taken out`, async () => {
      assert.deepEqual(JSON.parse(unregister(edited(edit), made)), { hooks: left });
    });

    it(`${what} stay when ours are put in again, each once`, async () => {
      const { hooks } = JSON.parse(register(edited(edit), wanted).text) as { hooks: Hooks };
      const text = JSON.stringify(hooks);
      assert.equal(text.split(JSON.stringify(theirs.hooks[0])).length - 1, 1, text);
      for (const { event, hook } of wanted) {
        const there = (hooks[event] as { hooks: unknown[] }[]).flatMap((group) => group.hooks);
        assert.equal(there.filter((one) => isDeepStrictEqual(one, hook)).length, 1, text);
      }
    });
  }
});
