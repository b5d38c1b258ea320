// The licence texts of the packages whose code is bundled: most ask that their text goes with every copy.
import { readdirSync, readFileSync } from 'node:fs';

const PACKAGE = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//;
const LICENCE = /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i;

/** The folders of the bundled packages, from esbuild's list of inputs. */
const foldersIn = (metafiles) =>
  new Set(
    metafiles
      .flatMap(({ inputs }) => Object.keys(inputs))
      .map((path) => PACKAGE.exec(path.replace(/^[\w-]+:/, ''))?.[0])
      .filter(Boolean),
  );

/** Where the terms begin, which are the same in most packages. What stands before them names the owner. */
const TERMS = /^(?:permission is \w+ granted|permission to use|redistribution and use)/im;

/** Adds a value to those of a key. */
const add = (groups, key, value) => groups.set(key, [...(groups.get(key) ?? []), value]);

/** All licences as one text; packages with the same terms share them. @throws if a bundled package has none */
export const licences = (...metafiles) => {
  const byTerms = new Map();
  for (const folder of [...foldersIn(metafiles)].sort()) {
    const { name, version } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'));
    const files = readdirSync(folder).filter((file) => LICENCE.test(file));
    if (files.length === 0) throw new Error(`${name} is bundled and brings no licence text`);
    const text = files.map((file) => readFileSync(`${folder}${file}`, 'utf8').trim()).join('\n\n');
    const at = Math.max(0, text.search(TERMS));
    const [notice, terms] = [
      text
        .slice(0, at)
        .replace(/\s*\n\s*/g, '\n')
        .trim(),
      text.slice(at),
    ];
    add(byTerms, terms.replace(/\s+/g, ' '), { name: `${name} ${version}`, notice, terms });
  }
  const parts = [...byTerms.values()].map((packages) => {
    const byNotice = new Map();
    for (const { name, notice } of packages) add(byNotice, notice, name);
    const notices = [...byNotice].filter(([notice]) => notice !== '');
    const named = notices.map(([notice, names]) => `${names.join(', ')}:\n${notice}`);
    return [packages.map(({ name }) => name).join(', '), ...named, packages[0].terms].join('\n\n');
  });
  return `The programs in this folder contain code of these packages.\n\n${parts.join(`\n\n${'-'.repeat(72)}\n\n`)}\n`;
};
