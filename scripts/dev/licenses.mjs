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

/** All licences as one text; packages with the same licence share it. @throws if a bundled package has none */
export const licences = (...metafiles) => {
  const byText = new Map();
  for (const folder of [...foldersIn(metafiles)].sort()) {
    const { name, version } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'));
    const files = readdirSync(folder).filter((file) => LICENCE.test(file));
    if (files.length === 0) throw new Error(`${name} is bundled and brings no licence text`);
    const text = files.map((file) => readFileSync(`${folder}${file}`, 'utf8').trim()).join('\n\n');
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...byText].map(([text, names]) => `${names.join(', ')}\n\n${text}`);
  return `The programs in this folder contain code of these packages.\n\n${parts.join(`\n\n${'-'.repeat(72)}\n\n`)}\n`;
};
