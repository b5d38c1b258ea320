// "What I'd do Monday", its open question: "who's allowed to re-pin, and on what evidence?"
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { contractHash } from '../scripts/contract/canonical.ts';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { unrecorded } from '../scripts/lock/records.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { type ApprovalRules, NO_RULES } from '../scripts/lock/rules.ts';
import { makePin, makeRefused, makeRemoved } from '../scripts/lock/seal.ts';
import { type Approved, type Lock, type Pins, toPins } from '../scripts/lock/types.ts';
import { say } from '../scripts/text/shown.ts';
import { atTerminal, whyNoPerson } from './at-terminal.ts';
import { editedPins } from './edited-pins.ts';
import { initGitAs, keyOf, noGit, setUser } from './git.ts';
import { FETCH, parsed, RENAMED, SEARCH, workbench } from './lock-bench.ts';

const AGAIN = { ...RENAMED, description: 'Finds more.' };
const [OLD, NEW] = [contractHash(SEARCH), contractHash(RENAMED)];

/** A project in git whose server is pinned and committed on a separate branch. */
const world = async (test: TestContext, settings?: JsonObject) => {
  const bench = await workbench(test);
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', bench.project, ...args], { stdio: 'pipe', encoding: 'utf8' });
  const me = (name: string): void => setUser(bench.project, name);
  const file = join(bench.project, '.claude', 'konnichiwagwan.json');
  const set = (approvals: JsonObject): void => writeFileSync(file, JSON.stringify({ approvals }));
  const commit = (): void => {
    git('add', '-A');
    git('commit', '-qm', 'x', '--allow-empty');
  };
  const server = await bench.pinned();
  if (settings) set(settings);
  initGitAs(bench.project, `${bench.lockText()}${JSON.stringify(settings)}`, () => {
    me('Ada');
    commit();
    git('checkout', '-qb', 'change');
  });
  const entry = (tool = 'search') => JSON.parse(bench.lockText()).servers[server].tools[tool];
  const approve = (answers: string[], reasons: string[] = [], args: string[] = []) =>
    atTerminal(bench.env, ['approve', ...args], answers, undefined, reasons);
  const verify = async (...args: string[]) => {
    const { code, data, error } = await bench.envelope(['verify', ...args]);
    const found = (data?.changes ?? []).map(({ tool, rule }: JsonObject) => `${tool} ${rule}`);
    return { code, found, data, error };
  };
  /** Makes the first approvals look as if they were given on another machine. */
  const fromElsewhere = (): void => {
    const lock = [...parsed(bench.lockText())].map(([name, pins]): [string, Pins] => [
      name,
      new Map(
        [...pins].map(([label, { contract, approved, earlier }]) => {
          const there = approved && { ...approved, seat: ['0123456789abcdef'] };
          return [label, makePin(name, contract, there, earlier)];
        }),
      ),
    ]);
    writeFileSync(bench.path, renderLock(new Map(lock)));
  };
  return { ...bench, git, me, set, commit, server, entry, approve, verify, file, fromElsewhere };
};

describe('What I’d do Monday: who may re-pin, and on what evidence', { skip: noGit, concurrency: 2 }, () => {
  describe('an approval records', { skip: whyNoPerson }, () => {
    it('why (it is asked for), who, when, from which to which hash; and those before it', async (test) => {
      const box = await world(test);
      box.release([RENAMED, FETCH]);
      const { code, screen } = await box.approve(['y\r'], ['the vendor’s release notes say so']);
      assert.equal(code, 0, screen);
      assert.match(screen, /Why\? \(Enter for no reason\)/);
      const { approved } = box.entry();
      assert.deepEqual(
        [approved.why, approved.by, approved.from, approved.to, box.entry().hash],
        ['the vendor’s release notes say so', 'Ada <ada@example.org>', OLD, NEW, NEW],
      );
      assert.ok(Math.abs(Date.parse(approved.at) - Date.now()) < 60_000);
      box.release([AGAIN, FETCH]);
      assert.equal((await box.approve(['y\r'])).code, 0);
      assert.deepEqual(box.entry().earlier, [approved]);
      assert.deepEqual([box.entry().approved.from, box.entry().approved.why], [NEW, undefined]);
      assert.deepEqual(editedPins(parsed(box.lockText())), []);
      assert.equal((await box.verify('--since', 'main')).code, 0, 'both steps are on record');
    });

    it('that a tool is gone, and that it came back', async (test) => {
      const box = await world(test);
      box.release([FETCH]);
      assert.equal((await box.approve(['y\r'], ['nobody used it'])).code, 0);
      const { removed } = JSON.parse(box.lockText()).servers[box.server];
      const { from, to, why } = removed.search.approved;
      assert.deepEqual([from, to, why], [OLD, undefined, 'nobody used it']);
      assert.deepEqual(await box.verify('--since', 'main').then(({ code, found }) => [code, found]), [0, []]);
      writeFileSync(box.path, box.lockText().replace('nobody used it', 'somebody used it'));
      assert.deepEqual((await box.verify()).found, ['search pin-edited']);
      writeFileSync(box.path, box.lockText().replace('somebody used it', 'nobody used it'));
      box.commit();
      box.release([RENAMED, FETCH]);
      assert.equal((await box.approve(['y\r'])).code, 0);
      assert.equal(JSON.parse(box.lockText()).servers[box.server].removed, undefined);
      assert.deepEqual(box.entry().earlier, [removed.search.approved]);
      for (const since of ['main', 'HEAD']) assert.equal((await box.verify('--since', since)).code, 0, since);
    });

    it('Ctrl-C at the question for a reason, which stops all that is left', async (test) => {
      const box = await world(test, { why: true });
      box.release([RENAMED, { ...FETCH, description: 'New.' }]);
      const { code, screen } = await box.approve(['y\r'], ['\x03']);
      assert.equal(code, 1, screen);
      assert.doesNotMatch(screen, /not approved: the settings ask for a reason|\(2\/2\)/);
      assert.deepEqual([box.entry('fetch').approved, box.entry().approved], [undefined, undefined]);
    });

    it('a reason of up to 1,000 characters', async (test) => {
      const box = await world(test, { why: true });
      box.release([RENAMED, FETCH]);
      const long = 'because '.repeat(124).trim();
      const { code, screen } = await box.approve(['y\r', 'y\r'], [long, `${long} it is so long`]);
      assert.equal(code, 0, screen);
      assert.equal(box.entry('fetch').approved.why, long);
      assert.equal(box.entry().approved.why, `${long} it is so…`);
    });

    it('a reason, where the settings ask for one: none is no yes', async (test) => {
      const box = await world(test, { why: true });
      box.release([RENAMED, { ...FETCH, description: 'New.' }]);
      // fetch: no reason, three times; search: a reason the second time.
      const { code, screen } = await box.approve(['y\r', 'y\r'], ['', ' ', '', '', 'it is fine']);
      assert.equal(code, 1, screen);
      assert.match(screen, /not approved: the settings ask for a reason/);
      assert.deepEqual([box.entry('fetch').approved, box.entry().approved.why], [undefined, 'it is fine']);
      assert.deepEqual(
        (await box.verify('--records')).found,
        ['fetch approval-missing'],
        'what was pinned at first contact and nobody looked at is missing one, too',
      );
      const why = ['--why', 'seen'];
      assert.equal((await box.approve(['y\r'], [], why)).code, 0);
      assert.equal((await box.verify('--records')).code, 0);
    });

    it('what the settings of the last commit ask for, although somebody took it out of the file since', async (test) => {
      const box = await world(test, { by: ['grace@example.org'] });
      rmSync(box.file);
      box.release([RENAMED, FETCH]);
      const { code, screen } = await box.approve(['y\r']);
      assert.equal(code, 2);
      assert.match(screen, /may not approve here/);
      assert.equal((await box.verify('--records')).found.length, 2);
    });

    it('that those whom the settings name said yes, by their git identity', async (test) => {
      const box = await world(test, { by: ['GRACE@example.org', 'Somebody Else'] });
      box.release([RENAMED, FETCH]);
      const refused = await box.approve(['y\r']);
      assert.equal(refused.code, 2);
      assert.match(refused.screen, /"Ada <ada@example\.org>" may not approve here/);
      const named = await box.approve(['y\r'], [], ['--by', 'Grace <grace@example.org>']);
      assert.equal(named.code, 2);
      assert.match(named.screen, /--by is not for a project/);
      box.me('Grace');
      // fetch was pinned but not reviewed.
      const { code, screen } = await box.approve(['y\r', 'y\r']);
      assert.equal(code, 0, screen);
      assert.equal((await box.verify('--since', 'main')).code, 0);
    });

    it('two people: the second one is shown what changed, with who said yes before and why', async (test) => {
      const box = await world(test, { people: 2, why: true });
      box.release([RENAMED, FETCH]);
      const first = await box.approve(['\r', 'y\r'], ['a new release']);
      assert.equal(first.code, 1, first.screen);
      assert.match(first.screen, /Waits for a second person: .*search.*\. They run: konnichiwagwan approve\r?$/m);
      assert.deepEqual((await box.verify('--since', 'main')).found, ['search approval-missing']);
      const label = `${box.server}/search`;
      const same = await box.approve(['y\r'], ['again'], [label]);
      assert.equal(same.code, 1);
      assert.match(same.screen, /waits for a second person: you approved it already/);
      box.me('Grace');
      // Another name is not another person: it is the same account at the same terminal.
      for (const more of [[], ['--by', 'Zed']]) {
        const { code, screen } = await box.approve(['y\r'], ['I read it'], [label, ...more]);
        assert.deepEqual([code, /you approved it already/.test(screen)], [1, true], screen);
      }
      box.fromElsewhere();
      const second = await box.approve(['y\r'], ['I read it'], [label]);
      assert.equal(second.code, 0, second.screen);
      assert.match(second.screen, /approved \d{4}-\d\d-\d\d by Ada <ada@example\.org>[\s\S]*because: a new release/);
      assert.match(second.screen, /since the contract that was approved before:[\s\S]*renamed: `query`/);
      assert.match(second.screen, /- .*"query"[\s\S]*\+ .*"q"/);
      assert.doesNotMatch(second.screen, /\+ .*"Finds things\."/, 'what stayed is not shown as new');
      const { by, why, from, to, second: other } = box.entry().approved;
      assert.deepEqual([by, why, from, to], ['Ada <ada@example.org>', 'a new release', OLD, NEW]);
      assert.deepEqual([other.by, other.why], ['Grace <grace@example.org>', 'I read it']);
      assert.equal((await box.verify('--since', 'main')).code, 0);
    });

    it('two people, where it changes before the second one came: the new approval begins where the old one did', async (test) => {
      const box = await world(test, { people: 2 });
      const label = `${box.server}/search`;
      box.release([RENAMED, FETCH]);
      const first = await box.approve(['y\r'], [], [label]);
      assert.equal(first.code, 1, `it is not done: ${first.screen}`);
      box.release([AGAIN, FETCH]);
      await box.approve(['y\r'], [], [label]);
      assert.deepEqual([box.entry().approved.from, box.entry().earlier], [OLD, undefined]);
      box.me('Grace');
      box.fromElsewhere();
      assert.equal((await box.approve(['y\r'], [], [label])).code, 0);
      assert.equal((await box.verify('--since', 'main')).code, 0);
    });

    it('two people, where one was enough before: the same account counts once more as one', async (test) => {
      const box = await world(test);
      box.release([RENAMED, FETCH]);
      const label = `${box.server}/search`;
      assert.equal((await box.approve(['y\r'], [], [label])).code, 0);
      box.set({ people: 2 });
      box.me('Grace');
      const again = await box.approve(['y\r'], [], [label]);
      assert.equal(again.code, 1);
      assert.match(again.screen, /waits for a second person: you approved it already/);
      box.fromElsewhere();
      assert.equal((await box.approve(['y\r'], [], [label])).code, 0);
      assert.equal((await box.verify('--since', 'main')).code, 0);
    });

    it('a reason, where none was asked for before: what changed since is approved together with that', async (test) => {
      const box = await world(test);
      box.release([RENAMED, FETCH]);
      assert.equal((await box.approve(['y\r'])).code, 0);
      box.set({ why: true });
      box.commit();
      box.release([AGAIN, FETCH]);
      const { code, screen } = await box.approve(['n\r', 'y\r'], ['the new release']);
      assert.equal(code, 1, screen);
      assert.deepEqual([box.entry().approved.from, box.entry().approved.to], [OLD, contractHash(AGAIN)]);
      for (const since of ['main', 'HEAD'])
        assert.deepEqual((await box.verify('--since', since, '--records')).found, [], since);
    });

    it('an edited pin that is approved goes on from the last commit', async (test) => {
      const box = await world(test);
      writeFileSync(box.path, box.lockText().replace('Finds things.', 'Finds nothing.').replaceAll(OLD, NEW));
      box.release([RENAMED, FETCH]);
      assert.equal((await box.approve(['y\r'])).code, 0);
      assert.deepEqual([box.entry().approved.from, box.entry().approved.to], [OLD, NEW]);
      assert.equal((await box.verify('--since', 'main')).code, 0);
    });
  });

  it('a copied lockfile is no approval: plain verify counts its pins, and requireRecords has it fail', async (test) => {
    const box = await world(test);
    // A lockfile that an agent wrote elsewhere: its seals fit, but it has no approval.
    const pins = new Map([SEARCH, FETCH].map((one) => [one.name, makePin(box.server, one)]));
    writeFileSync(box.path, renderLock(new Map([[box.server, pins]])));
    const plain = await box.verify();
    assert.deepEqual([plain.code, plain.data.servers[0].without_record], [0, 2]);
    assert.match((await box.run(['verify'])).stdout, /: 2 tools as pinned, 2 without a record of approval\n/);
    box.set({ requireRecords: true });
    const strict = await box.verify();
    assert.deepEqual([strict.code, strict.found], [1, ['fetch approval-missing', 'search approval-missing']]);
    box.set({ requireRecords: 'yes' });
    assert.equal((await box.verify()).error.code, 'bad-settings');
  });

  it('the guard asks about a contract whose approval is not what the settings ask for', async (test) => {
    for (const [approvals, lacks] of [
      [{ why: true }, /no person approved it/],
      [{ people: 2 }, /no person approved it/],
      [{ requireRecords: true }, /no person approved it/],
    ] as const) {
      const box = await world(test, approvals);
      await box.start();
      const asked = await box.call('search', { query: 'x' });
      assert.equal(asked.answer.hookSpecificOutput.permissionDecision, 'ask', JSON.stringify(approvals));
      assert.match(
        asked.answer.hookSpecificOutput.permissionDecisionReason,
        /is as pinned, and its approval is not what the settings ask for/,
      );
      assert.match(asked.answer.hookSpecificOutput.permissionDecisionReason, lacks);
    }
    // A new rule holds from the next call on, although nothing else changed.
    const later = await world(test);
    await later.start();
    assert.equal((await later.call('search', { query: 'x' })).stdout, '');
    later.set({ why: true });
    const { answer: asked } = await later.call('search', { query: 'x' }, { tool_use_id: 'toolu_later' });
    assert.equal(asked?.hookSpecificOutput.permissionDecision, 'ask');
    // Unreadable rules approve nothing; without rules a first contact is enough.
    for (const [approvals, decision] of [
      [{ why: 'yes' }, 'ask'],
      [{}, undefined],
    ] as const) {
      const box = await world(test, approvals);
      await box.start();
      const { answer } = await box.call('search', { query: 'x' });
      assert.equal(answer?.hookSpecificOutput?.permissionDecision, decision);
    }
  });

  const noKeys = spawnSync('ssh-keygen', ['-?']).error !== undefined && 'there is no ssh-keygen';
  it('signatures: an approval counts that its approver signed; without them the names are called claims', {
    skip: noKeys,
  }, async (test) => {
    const box = await world(test, { people: 2 });
    const people = ['ada', 'grace'];
    const keys = people.map((name) => keyOf(name).path);
    const signers = join(box.state, 'signers');
    writeFileSync(
      signers,
      keys.map((key, at) => `${people[at]}@example.org ${readFileSync(`${key}.pub`, 'utf8')}`).join(''),
    );
    box.git('config', 'gpg.format', 'ssh');
    box.git('config', 'gpg.ssh.allowedSignersFile', signers);
    const yes = (name: string, seat: string) => ({
      by: `${name} <${name.toLowerCase()}@example.org>`,
      at: '2026-05-04T08:00:00.000Z',
      seat: [seat.repeat(16)],
    });
    const write = (second: boolean): void => {
      const approved = {
        ...yes('Ada', 'a'),
        diff: OLD,
        from: OLD,
        to: NEW,
        ...(second ? { second: yes('Grace', 'b') } : {}),
      };
      const pins = new Map([
        [SEARCH.name, makePin(box.server, RENAMED, approved)],
        [FETCH.name, makePin(box.server, FETCH)],
      ]);
      writeFileSync(box.path, renderLock(new Map([[box.server, pins]])));
    };
    const commit = (name: string, key?: string): void => {
      box.me(name);
      box.git('add', '-A');
      box.git('commit', '-qm', 'x', ...(key === undefined ? [] : [`--gpg-sign=${key}`]));
    };
    box.release([RENAMED, FETCH]);
    write(false);
    commit('Ada', keys[0]);
    write(true);
    commit('Grace');
    const claims = await box.envelope(['verify', '--since', 'main', '--records']);
    assert.match(claims.warnings.join(), /the names in the records are claims/);
    box.set({ people: 2, signatures: true });
    const unsigned = await box.verify('--since', 'main', '--records');
    assert.deepEqual(unsigned.found, ['search approval-unsigned']);
    assert.match(JSON.stringify(unsigned.data), /approved by .*Grace.* and no commit with a good signature of theirs/);
    // A signature with Ada's key in Grace's name is not Grace's.
    box.git('commit', '-q', '--amend', '--no-edit', `--gpg-sign=${keys[0]}`, '-a');
    assert.deepEqual((await box.verify('--since', 'main', '--records')).found, ['search approval-unsigned']);
    box.git('commit', '-q', '--amend', '--no-edit', `--gpg-sign=${keys[1]}`);
    const signed = await box.verify('--since', 'main', '--records');
    assert.deepEqual(signed.found, []);
    // Ada has two keys, and writes Grace's address into the commit: that takes one person, not two.
    const third = keyOf('third').path;
    appendFileSync(signers, `ada@example.org ${readFileSync(`${third}.pub`, 'utf8')}`);
    box.git('commit', '-q', '--amend', '--no-edit', `--gpg-sign=${third}`);
    const borrowed = await box.verify('--since', 'main', '--records');
    assert.deepEqual(borrowed.found, ['search approval-unsigned']);
    assert.match(
      JSON.stringify(borrowed.data),
      /Grace.* are signed with a key that git does not list for that address/,
    );
    // A key that is listed for several addresses is a key of each.
    appendFileSync(signers, `x@example.org,grace@* ${readFileSync(`${third}.pub`, 'utf8')}`);
    assert.deepEqual((await box.verify('--since', 'main', '--records')).found, []);
    // A program that the repository names would check, and find anything good.
    const mark = join(dirname(signers), 'ran');
    const program = join(dirname(signers), 'program.sh');
    // It reads what git writes to it: git would end with the pipe.
    writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\ncat > /dev/null\n`, { mode: 0o755 });
    box.git('config', 'gpg.ssh.program', program);
    box.git('config', 'log.showSignature', 'true');
    box.git('log', '-1');
    assert.ok(existsSync(mark), 'the trap is no trap');
    rmSync(mark);
    assert.deepEqual((await box.verify('--since', 'main', '--records')).found, []);
    assert.ok(!existsSync(mark), 'a program of the repository was run');
    // One that the person names in their own settings does.
    writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\nexec ssh-keygen "$@"\n`, { mode: 0o755 });
    box.git('config', '--unset', 'gpg.ssh.program');
    writeFileSync(join(box.home, '.gitconfig'), `[gpg "ssh"]\n\tprogram = ${program}\n`);
    assert.deepEqual((await box.verify('--since', 'main', '--records')).found, []);
    assert.ok(existsSync(mark), "the person's own program was not run");
  });

  describe('verify --since, in CI, finds', () => {
    /** Writes the lockfile like a forger who knows how seals are made. */
    const forge = (box: Awaited<ReturnType<typeof world>>, tools: Contract[]): void =>
      writeFileSync(
        box.path,
        renderLock(new Map([[box.server, new Map(tools.map((one) => [one.name, makePin(box.server, one)]))]])),
      );

    it('a pin that changed, came or went without a record, whoever wrote it', async (test) => {
      const box = await world(test);
      box.release([RENAMED, FETCH]);
      forge(box, [RENAMED, FETCH]);
      assert.deepEqual(
        (await box.verify()).code,
        0,
        'without --since there is nothing to see: seals are no signatures',
      );
      const changed = await box.verify('--since', 'main');
      assert.deepEqual([changed.code, changed.found], [1, ['search approval-missing']]);
      assert.match(changed.data.changes[0].message, new RegExp(`${OLD.slice(0, 12)} → ${NEW.slice(0, 12)}`));
      const extra = { ...FETCH, name: 'extra' };
      forge(box, [SEARCH, extra]);
      assert.deepEqual((await box.verify('--records', '--since', 'main')).found, [
        'extra approval-missing',
        'fetch approval-missing',
      ]);
      rmSync(box.path);
      writeFileSync(box.path, renderLock(new Map()));
      const gone = await box.verify('--records', '--since', 'main');
      assert.deepEqual([gone.code, gone.found.length], [1, 2], 'the whole server');
      const sarif = await box.run(['verify', '--records', '--since', 'main', '--format', 'sarif']);
      assert.match(sarif.stdout, /approval-missing/);
    });

    it('a record that is for another change', async (test) => {
      const box = await world(test);
      const approved = { by: 'Ada', at: '2026-04-10T10:00:00.000Z', diff: '0'.repeat(64) };
      for (const [from, to, ok] of [
        [OLD, NEW, true],
        [NEW, OLD, false],
        [OLD, OLD, false],
        [undefined, NEW, false],
        [OLD, undefined, false],
      ] as const) {
        const record = { ...approved, ...(from ? { from } : {}), ...(to ? { to } : {}) };
        const pins = new Map([
          ['search', makePin(box.server, RENAMED, record)],
          ['fetch', makePin(box.server, FETCH)],
        ]);
        writeFileSync(box.path, renderLock(new Map([[box.server, pins]])));
        const { code } = await box.verify('--records', '--since', 'main');
        assert.equal(code, ok ? 0 : 1, `${from?.slice(0, 6)} → ${to?.slice(0, 6)}`);
      }
    });

    it('a record that changed beside a contract that did not', () => {
      const [ada, joan] = ['Ada <ada@example.org>', 'Joan <joan@example.org>'];
      const yes = { by: ada, at: '2026-04-10T10:00:00.000Z', diff: '0'.repeat(64), from: OLD, to: NEW };
      const second = { by: joan, at: '2026-04-11T10:00:00.000Z' };
      const two: ApprovalRules = { ...NO_RULES, people: 2, by: [['ada@example.org', 'grace@example.org']] };
      const of = (approved?: Approved): Lock =>
        new Map([['s', toPins(new Map([['search', makePin('s', RENAMED, approved)]]))]]);
      const gone = (approved: Approved): Lock =>
        new Map([['s', toPins(new Map(), new Map([['search', makeRemoved('s', 'search', { approved })]]))]]);
      const { to: _, ...removal } = { ...yes, from: NEW };
      for (const [what, before, now, rules, found] of [
        ['nothing', of(yes), of({ ...yes }), two, undefined],
        ['a yes where none was', of(), of(yes), NO_RULES, undefined],
        ['one yes of two', of(), of(yes), two, /a second person has to approve it/],
        [
          'another one’s second yes',
          of(yes),
          of({ ...yes, second }),
          two,
          /"Joan <joan@example\.org>" may not approve/,
        ],
        ['no record any more', of(yes), of(), NO_RULES, /its record of approval was removed since main/],
        ['one of another contract', of(), of({ ...yes, to: OLD }), NO_RULES, /is for another contract/],
        ['the second yes to a removal', gone(removal), gone({ ...removal, second }), two, /Joan.* may not approve/],
        ['a removal as it was', gone(removal), gone({ ...removal }), two, undefined],
      ] as [string, Lock, Lock, ApprovalRules, RegExp | undefined][]) {
        const changes = unrecorded(before, now, rules, say`main`).get('s') ?? [];
        assert.equal(changes.length, found === undefined ? 0 : 1, what);
        if (found !== undefined) assert.match(changes[0]?.message ?? '', found, what);
      }
    });

    it('first contact with a server is nobody’s approval, unless the settings ask for one', async (test) => {
      const box = await world(test);
      box.git('checkout', '-q', '--orphan', 'new');
      box.git('rm', '-qf', '--cached', 'mcp-contracts.lock.json');
      const text = box.lockText();
      rmSync(box.path);
      box.commit();
      writeFileSync(box.path, text);
      assert.equal((await box.verify('--since', 'HEAD')).code, 0);
      box.set({ why: true });
      assert.equal((await box.verify('--since', 'HEAD')).code, 1);
    });

    it('a lockfile in a folder below, which takes the place of this one there, where approvals are asked for or signed', async (test) => {
      const box = await world(test);
      box.commit();
      const folder = join(box.project, 'packages', 'app');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'mcp-contracts.lock.json'), box.lockText());
      box.commit();
      for (const [rules, found] of [
        [{}, []],
        [{ why: true }, [' approval-missing']],
        [{ signatures: true }, [' approval-missing']],
      ] as [JsonObject, string[]][]) {
        box.set(rules);
        assert.deepEqual((await box.verify('--records', '--since', 'main')).found, found, JSON.stringify(rules));
      }
    });

    it('goes by the rules of that revision, and tells of weaker ones', async (test) => {
      const box = await world(test, { why: true, by: ['grace@example.org', 'joan@example.org'] });
      for (const [rules, weaker] of [
        [{}, true],
        [{ why: true }, true],
        [{ by: ['grace@example.org'] }, true],
        [{ why: true, by: ['grace@example.org', 'joan@example.org', 'ada@example.org'] }, true],
        [{ why: true, by: ['Grace@example.org'], people: 2 }, false],
      ] as [JsonObject, boolean][]) {
        box.set(rules);
        const { code, found } = await box.verify('--records', '--since', 'main');
        assert.deepEqual([code, found], weaker ? [1, [' approval-rules-weaker']] : [0, []], JSON.stringify(rules));
      }
      rmSync(box.file);
      const approved = { by: 'Ada <ada@example.org>', at: '2026-04-10T10:00:00.000Z', diff: '0'.repeat(64) };
      const pins = new Map([
        ['search', makePin(box.server, RENAMED, { ...approved, from: OLD, to: NEW })],
        ['fetch', makePin(box.server, FETCH)],
      ]);
      writeFileSync(box.path, renderLock(new Map([[box.server, pins]])));
      const { data } = await box.verify('--records', '--since', 'main');
      const message = data.changes.find(({ rule }: JsonObject) => rule === 'approval-missing').message;
      assert.match(message, /no reason is given, "Ada <ada@example\.org>" may not approve here/);
    });

    it('nothing it cannot know: a revision that is not there is no pass', async (test) => {
      const box = await world(test);
      for (const revision of ['nowhere', '--help', '-x', 'main; true', '']) {
        const { code, error } = await box.verify('--records', `--since=${revision}`);
        assert.deepEqual([code, error?.code], [2, 'no-such-revision'], revision);
      }
      writeFileSync(box.path, '{');
      box.commit();
      box.git('checkout', '-q', 'main', '--', 'mcp-contracts.lock.json');
      const { code, error } = await box.verify('--records', '--since', 'change');
      assert.deepEqual([code, error?.code], [2, 'unreadable-lockfile']);
      assert.equal((await box.verify('--records', '--offline', 'x')).error?.code, 'usage');
    });
  });

  describe('verify --since names what works', { skip: whyNoPerson }, () => {
    /** What the report says to run. */
    const named = async (box: Awaited<ReturnType<typeof world>>): Promise<string[]> => {
      const { stdout, code } = await box.run(['verify', '--since', 'main']);
      assert.equal(code, 1, stdout);
      return [...stdout.matchAll(/(?:^ {2}|run: )(git .*|\S.* approve.*)$/gm)].map(([, command = '']) => command);
    };

    /** Does it, word for word. */
    const follow = async (box: Awaited<ReturnType<typeof world>>): Promise<void> => {
      const [back = '', approve = '', ...rest] = await named(box);
      assert.match(approve, / approve$/);
      assert.deepEqual(rest, []);
      box.git(...back.split(' ').slice(1));
      const { code, screen } = await box.approve(['y\r']);
      assert.equal(code, 0, screen);
      assert.match(screen, /Approved, and written/);
      assert.deepEqual((await box.verify('--since', 'main')).found, []);
      box.commit();
      assert.equal((await box.verify('--since', 'main')).code, 0);
    };

    it('after a merge that took the entry of the branch', async (test) => {
      const box = await world(test);
      const yes = async (branch: string, tool: Contract): Promise<void> => {
        box.git('checkout', '-q', branch);
        box.release([tool, FETCH]);
        assert.equal((await box.approve(['y\r'])).code, 0);
        box.commit();
      };
      await yes('change', AGAIN);
      await yes('main', RENAMED);
      box.release([AGAIN, FETCH]);
      box.git('checkout', '-q', 'change');
      box.git('merge', '-q', '-s', 'ours', 'main', '-m', 'merged');
      await follow(box);
    });

    it('after a yes that was reverted together with the release', async (test) => {
      const box = await world(test);
      box.git('checkout', '-q', 'main');
      box.release([RENAMED, FETCH]);
      assert.equal((await box.approve(['y\r'])).code, 0);
      box.commit();
      box.release([SEARCH, FETCH]);
      box.git('checkout', '-qb', 'back');
      box.git('revert', '--no-edit', 'HEAD');
      await follow(box);
    });

    it('for what approve asks about: approve alone', async (test) => {
      const box = await world(test, { why: true });
      box.release([AGAIN, FETCH]);
      assert.deepEqual(
        (await named(box)).map((line) => line.replace(/.* approve/, 'approve')),
        [`approve ${box.server}`],
      );
      // A yes that lacks its reason is asked about as well.
      const approved = {
        by: 'Ada',
        at: '2026-04-10T10:00:00.000Z',
        diff: '0'.repeat(64),
        from: OLD,
        to: contractHash(AGAIN),
      };
      const pins = new Map(
        [AGAIN, FETCH].map((one) => [one.name, makePin(box.server, one, one === AGAIN ? approved : undefined)]),
      );
      writeFileSync(box.path, renderLock(new Map([[box.server, pins]])));
      assert.deepEqual(
        (await named(box)).map((line) => line.replace(/.* approve/, 'approve')),
        [`approve ${box.server}`],
      );
    });

    it('which no it takes back', async (test) => {
      const box = await world(test);
      const no = { at: '2026-04-10T10:00:00.000Z', by: 'Ada', why: 'It sends mail.' };
      const refused = new Map([['fetch', makeRefused(box.server, 'fetch', no)]]);
      const pins = new Map([RENAMED, FETCH].map((one) => [one.name, makePin(box.server, one)]));
      writeFileSync(box.path, renderLock(new Map([[box.server, toPins(pins, undefined, refused)]])));
      box.release([RENAMED, FETCH]);
      const { stdout } = await box.run(['verify', '--since', 'main']);
      assert.match(stdout, / approve\nThen refuse again: GATEWAY_URL\/fetch$/m);
    });
  });

  it('rules that are not valid are an error, and never left out; the user’s and the project’s hold both', async (test) => {
    const box = await world(test);
    for (const approvals of [
      { why: 'yes' },
      { people: 3 },
      { by: [] },
      { by: [''] },
      { reason: true },
      [],
    ] as never[]) {
      box.set(approvals);
      const { code, error } = await box.verify('--records');
      assert.deepEqual([code, error?.code], [2, 'bad-settings'], JSON.stringify(approvals));
    }
    writeFileSync(box.file, '{"approvals": {"why": true},}');
    assert.equal((await box.verify('--records')).error?.code, 'bad-settings');
    box.set({});
    mkdirSync(box.state, { recursive: true });
    writeFileSync(join(box.state, 'config.json'), JSON.stringify({ approvals: { why: true } }));
    assert.equal((await box.verify('--records')).found.length, 2, 'a project cannot take the user’s rules away');
  });

  it('a page says what this proves, and what it cannot', () => {
    const page = readFileSync('docs/approvals.md', 'utf8');
    for (const words of ['is a claim', '--since', 'people', 'What it cannot prove'])
      assert.ok(page.includes(words), words);
  });
});
