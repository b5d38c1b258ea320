import { defined } from '../../contract/defined.ts';
import { pointer } from '../../contract/json-pointer.ts';
import { listedByValue } from '../../contract/meaning.ts';
import { sameJson } from '../../contract/same.ts';
import { type Json, own } from '../../contract/types.ts';
import { quoteName, quoteValue } from '../../text/quote.ts';
import { quoteChange } from '../../text/quote-change.ts';
import { joined, say } from '../../text/shown.ts';
import { isAnnotation, isArranging, isMeant, isUntoldUnit, saidInstead } from '../annotations.ts';
import { isSameChoice, namesOtherForms } from '../discriminator.ts';
import type { Finding, Rule, SchemaPair } from '../types.ts';
import { compareTexts } from '../words/compare.ts';

/** What a rule says of a changed annotation. */
export const annotationFinding = (keyword: string, had: Json | undefined, has: Json | undefined) => ({
  kind: isMeant(keyword, had, has) ? 'meaning' : isArranging(keyword) ? 'plainer' : 'touch-up',
  path: pointer(keyword),
  message: say`${quoteName(keyword)} changed: ${quoteValue(had, 80)} → ${quoteValue(has, 80)}`,
  brief: say`${quoteName(keyword)} changed`,
  ...defined({ before: had, after: has }),
});

const MOST_SHOWN = 5;

/** What a list tells of the values of a choice, value by value; undefined if it is no such list on both sides. */
const ofValues = ({ before, after, tool, parameter }: SchemaPair, keyword: string): Partial<Finding> | undefined => {
  const [had, has] = [listedByValue(before, keyword), listedByValue(after, keyword)];
  if (had === undefined || has === undefined) return undefined;
  const changed = [...had].flatMap(([written, old]) => {
    const now = has.get(written);
    if (now === undefined || sameJson(old, now)) return [];
    const areTexts = typeof old === 'string' && typeof now === 'string';
    const change = areTexts
      ? compareTexts(old, now, { names: [tool, ...parameter], isOfValue: true }).change
      : 'meaning';
    return [{ value: JSON.parse(written) as Json, old, now, change }];
  });
  const meant = changed.filter(({ change }) => change === 'meaning');
  if (meant.length === 0) return { kind: changed.some(({ change }) => change === 'added') ? 'touch-up' : 'plainer' };
  const shown = meant
    .slice(0, MOST_SHOWN)
    .map(({ value, old, now }) => say`${quoteValue(value, 40)}: ${quoteChange(old, now, 80)}`);
  const more = meant.length > MOST_SHOWN ? say`; and ${meant.length - MOST_SHOWN} more` : say``;
  return {
    kind: 'meaning',
    values: meant.map(({ value }) => value),
    message: say`${quoteName(keyword)} changed: ${joined(shown, '; ')}${more}`,
  };
};

const SWAPPED_FORMS = say`what "discriminator" names changed places: its values mean other forms`;
const SWAPPED: Finding = { kind: 'meaning', path: '/discriminator', message: SWAPPED_FORMS };

/** The name of a definition may be all that says what its values are of. */
const ofDefinition = ([from, to]: [string, string]): Finding => ({
  kind: 'meaning',
  keywords: [],
  path: '/$ref',
  message: say`is of another definition now: ${quoteName(from)} → ${quoteName(to)}`,
  before: from,
  after: to,
});

export const inputAnnotationChanged: Rule<SchemaPair> = {
  id: 'input-annotation-changed',
  purpose:
    'What no validator checks is told otherwise of a value: its encoding, its unit, what its choices mean. The value is still accepted.',
  at: 'schema',
  keywords: [],
  find: (pair) => {
    const { before, after } = pair;
    const swapped = sameJson(own(before, 'discriminator'), own(after, 'discriminator')) && namesOtherForms(pair);
    const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((keyword) => [before, after].some((one) => Object.hasOwn(one, keyword) && isAnnotation(keyword, one)))
      .filter((keyword) => !sameJson(own(before, keyword), own(after, keyword)))
      .map((keyword) => {
        const [had, has] = [own(before, keyword), own(after, keyword)];
        const old = had ?? saidInstead(keyword, before, after);
        const [unit, other] = has === undefined ? [had, after] : [has, before];
        const isNew = (had === undefined) !== (has === undefined);
        return {
          keywords: [keyword],
          ...annotationFinding(keyword, old, has),
          ...(isNew && isUntoldUnit(keyword, unit, other, pair.parameter.at(-1) ?? '') ? { kind: 'meaning' } : {}),
          ...ofValues(pair, keyword),
          ...(keyword === 'discriminator' && isSameChoice(pair) ? { kind: 'plainer' } : {}),
        };
      });
    return [
      ...changed,
      ...(swapped ? [SWAPPED] : []),
      ...(pair.otherDefinition === undefined ? [] : [ofDefinition(pair.otherDefinition)]),
    ];
  },
  examples: [
    {
      what: 'the same number in another unit',
      before: { type: 'object', properties: { wait: { type: 'integer', 'x-unit': 's' } } },
      after: { type: 'object', properties: { wait: { type: 'integer', 'x-unit': 'ms' } } },
      gives: ['semantic input-annotation-changed /inputSchema/properties/wait/x-unit, ask when used'],
    },
    {
      what: 'what is said of all arguments concerns every call',
      before: { type: 'object', properties: { name: { type: 'string' } }, 'x-region': 'eu' },
      after: { type: 'object', properties: { name: { type: 'string' } }, 'x-region': 'us' },
      gives: ['semantic input-annotation-changed /inputSchema/x-region, ask'],
    },
    {
      what: 'a definition of another unit',
      before: {
        type: 'object',
        properties: { wait: { $ref: '#/$defs/Hours' } },
        $defs: { Hours: { type: 'integer' }, Days: { type: 'integer' } },
      },
      after: {
        type: 'object',
        properties: { wait: { $ref: '#/$defs/Days' } },
        $defs: { Hours: { type: 'integer' }, Days: { type: 'integer' } },
      },
      gives: ['semantic input-annotation-changed /inputSchema/properties/wait/$ref, ask when used'],
    },
    {
      what: 'a text that has to be encoded',
      before: { type: 'object', properties: { data: { type: 'string' } } },
      after: { type: 'object', properties: { data: { type: 'string', contentEncoding: 'base64' } } },
      gives: ['semantic input-annotation-changed /inputSchema/properties/data/contentEncoding, ask when used'],
    },
    {
      what: 'a text of another kind',
      before: { type: 'object', properties: { body: { type: 'string', contentMediaType: 'text/plain' } } },
      after: { type: 'object', properties: { body: { type: 'string', contentMediaType: 'text/html' } } },
      gives: ['semantic input-annotation-changed /inputSchema/properties/body/contentMediaType, ask when used'],
    },
    {
      what: 'what a choice means',
      before: { type: 'object', properties: { mode: { enum: ['a', 'b'], enumDescriptions: ['all of them', 'none'] } } },
      after: { type: 'object', properties: { mode: { enum: ['a', 'b'], enumDescriptions: ['none', 'all of them'] } } },
      gives: ['semantic input-annotation-changed /inputSchema/properties/mode/enumDescriptions, ask when used'],
    },
    {
      what: 'a number that counts something else',
      before: { type: 'object', properties: { at: { type: 'integer', format: 'unix-seconds' } } },
      after: { type: 'object', properties: { at: { type: 'integer', format: 'unix-millis' } } },
      gives: ['semantic input-annotation-changed /inputSchema/properties/at/format, ask when used'],
    },
    {
      what: 'one whose type stands elsewhere',
      before: {
        type: 'object',
        properties: { at: { anyOf: [{ type: 'integer' }, { type: 'null' }], format: 'bytes' } },
      },
      after: { type: 'object', properties: { at: { anyOf: [{ type: 'integer' }, { type: 'null' }], format: 'bits' } } },
      gives: ['semantic input-annotation-changed /inputSchema/properties/at/format, ask when used'],
    },
    {
      what: 'a unit where none was told',
      before: { type: 'object', properties: { wait: { type: 'integer' } } },
      after: { type: 'object', properties: { wait: { type: 'integer', 'x-unit': 's' } } },
      gives: ['semantic input-annotation-changed /inputSchema/properties/wait/x-unit, ask when used'],
    },
    {
      what: 'a unit that the words or the name tell as well',
      before: {
        type: 'object',
        properties: {
          wait: { type: 'integer', description: 'Wait, in seconds' },
          wait_ms: { type: 'integer', unit: 'milliseconds' },
        },
      },
      after: {
        type: 'object',
        properties: {
          wait: { type: 'integer', description: 'Wait, in seconds', 'x-unit': 's' },
          wait_ms: { type: 'integer' },
        },
      },
      gives: [
        'semantic input-annotation-changed /inputSchema/properties/wait/x-unit',
        'semantic input-annotation-changed /inputSchema/properties/wait_ms/unit',
      ],
    },
    {
      what: 'another unit under another keyword',
      before: { type: 'object', properties: { size: { type: 'integer', 'x-measure': 'kB' } } },
      after: { type: 'object', properties: { size: { type: 'integer', measure: 'MB' } } },
      gives: [
        'semantic input-annotation-changed /inputSchema/properties/size/x-measure',
        'semantic input-annotation-changed /inputSchema/properties/size/measure, ask when used',
      ],
    },
    {
      what: 'another unit where words told one',
      before: { type: 'object', properties: { size: { type: 'integer', description: 'in kilobytes' } } },
      after: { type: 'object', properties: { size: { type: 'integer', 'x-measure': 'megabytes' } } },
      gives: [
        'semantic input-property-words-changed /inputSchema/properties/size/description, ask when used',
        'semantic input-annotation-changed /inputSchema/properties/size/x-measure, ask when used',
      ],
    },
    {
      what: 'the unit that words told',
      before: { type: 'object', properties: { size: { type: 'integer', description: 'in kilobytes' } } },
      after: { type: 'object', properties: { size: { type: 'integer', 'x-measure': 'kilobytes' } } },
      gives: [
        'semantic input-property-words-changed /inputSchema/properties/size/description',
        'semantic input-annotation-changed /inputSchema/properties/size/x-measure',
      ],
    },
    {
      what: 'definitions that changed places under a choice that is written as before',
      before: {
        type: 'object',
        properties: {
          to: {
            oneOf: [{ $ref: '#/$defs/Pay' }, { $ref: '#/$defs/Refund' }],
            discriminator: { propertyName: 'kind', mapping: { p: '#/$defs/Pay', r: '#/$defs/Refund' } },
          },
        },
        $defs: {
          Pay: { type: 'object', properties: { iban: { type: 'string', description: 'Who gets it' } } },
          Refund: { type: 'object', properties: { iban: { type: 'string', description: 'Who sent it' } } },
        },
      },
      after: {
        type: 'object',
        properties: {
          to: {
            oneOf: [{ $ref: '#/$defs/Pay' }, { $ref: '#/$defs/Refund' }],
            discriminator: { propertyName: 'kind', mapping: { p: '#/$defs/Pay', r: '#/$defs/Refund' } },
          },
        },
        $defs: {
          Pay: { type: 'object', properties: { iban: { type: 'string', description: 'Who sent it' } } },
          Refund: { type: 'object', properties: { iban: { type: 'string', description: 'Who gets it' } } },
        },
      },
      gives: ['semantic input-annotation-changed /inputSchema/properties/to/discriminator, ask when used'],
    },
    {
      what: 'what a form shows beside a value',
      before: { type: 'object', properties: { size: { type: 'integer', 'x-ui-step': 5, placeholder: 'size' } } },
      after: { type: 'object', properties: { size: { type: 'integer', 'x-ui-step': 9, placeholder: 'the size' } } },
      gives: [
        'semantic input-annotation-changed /inputSchema/properties/size/x-ui-step',
        'semantic input-annotation-changed /inputSchema/properties/size/placeholder',
      ],
    },
    {
      what: 'the choices changed places, and what they mean did not',
      before: { type: 'object', properties: { mode: { enum: ['a', 'b'], enumDescriptions: ['all of them', 'none'] } } },
      after: { type: 'object', properties: { mode: { enum: ['b', 'a'], enumDescriptions: ['all of them', 'none'] } } },
      gives: ['semantic input-annotation-changed /inputSchema/properties/mode/enumDescriptions, ask when used'],
    },
    {
      what: 'the same forms by a tag, under other names',
      before: {
        type: 'object',
        properties: {
          to: {
            oneOf: [{ $ref: '#/$defs/Mail' }, { $ref: '#/$defs/Phone' }],
            discriminator: { propertyName: 'by', mapping: { mail: '#/$defs/Mail', phone: '#/$defs/Phone' } },
          },
        },
        $defs: {
          Mail: { type: 'object', properties: { address: { type: 'string' } }, required: ['address'] },
          Phone: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
        },
      },
      after: {
        type: 'object',
        properties: {
          to: {
            oneOf: [{ $ref: '#/$defs/MailTarget' }, { $ref: '#/$defs/Phone' }],
            discriminator: { propertyName: 'by', mapping: { mail: '#/$defs/MailTarget', phone: '#/$defs/Phone' } },
          },
        },
        $defs: {
          MailTarget: { type: 'object', properties: { address: { type: 'string' } }, required: ['address'] },
          Phone: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
        },
      },
      gives: ['compatible input-annotation-changed /inputSchema/properties/to/discriminator, quiet'],
    },
    {
      what: 'one choice more, and what it means',
      before: { type: 'object', properties: { mode: { enum: ['a', 'c'], enumDescriptions: ['all of them', 'none'] } } },
      after: {
        type: 'object',
        properties: { mode: { enum: ['a', 'b', 'c'], enumDescriptions: ['all of them', 'some', 'none'] } },
      },
      gives: [
        'compatible input-property-enum-changed /inputSchema/properties/mode/enum, quiet',
        'compatible input-annotation-changed /inputSchema/properties/mode/enumDescriptions, quiet',
      ],
    },
  ],
};
