// How much memory the resident guard uses in a long session with many servers.
import { longSession, memoryOf } from '../../../test/long-session.ts';

const AT = [20, 1_000, 5_000, 10_000];

export const memoryRows = async (): Promise<void> => {
  if (memoryOf(process.pid) === undefined) return;
  const ends: (() => unknown)[] = [];
  console.log('\n| calls to 20 servers with 1,000 tools | resident, MB | at the most |\n|---|---|---|');
  await longSession({ after: (end) => void ends.push(end as () => unknown) }, Math.max(...AT), (call, pid) => {
    const memory = AT.includes(call) ? memoryOf(pid) : undefined;
    if (memory) console.log(`| ${call.toLocaleString('en')} | ${memory.now.toFixed(0)} | ${memory.most.toFixed(0)} |`);
  });
  for (const end of ends.reverse()) await end();
};
