import vm from 'node:vm'
import { keccak256, toUtf8Bytes } from 'ethers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isActionCid } from '../../shared/cid/cid-format.ts'
import { NotCanonical } from '../../shared/derived-action/canonical-json.ts'
import { actionCid } from '../../shared/cid/compute-cid.ts'
import {
  deriveAction,
  derivedSource,
  TemplateRefused,
} from '../../shared/derived-action/derive-action.ts'
import { SOURCE_MAX_BYTES } from '../../shared/limits.ts'
import { cidHash as outsidersHash, cidOf } from '../conformance/spec-client/cid.ts'
import { derivedAction as outsiders } from '../conformance/spec-client/derived-action.ts'

const TEMPLATE = 'function template(manifest, params) { return { manifest, params } }'

describe('a derived action', () => {
  it('is the template, the manifest as a constant, and a main function that combines them, byte for byte', () => {
    expect(derivedSource(TEMPLATE, { names: ['b', 'a'], limit: 3 })).toBe(
      `${TEMPLATE}\nconst MANIFEST={"limit":3,"names":["b","a"]};\n` +
        'async function main(params) { return template(MANIFEST, params) }\n',
    )
  })

  it('equals the result of a client written only from the specification', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.maxSafeInteger()), (manifest) => {
        fc.pre(!Object.hasOwn(manifest, '__proto__'))
        expect(derivedSource(TEMPLATE, manifest)).toBe(outsiders(TEMPLATE, manifest))
      }),
    )
  })

  it('comes with the same CID and hash as in that client', async () => {
    const { source, cid, cidHash } = await deriveAction(TEMPLATE, { a: 1 })
    expect(source).toBe(derivedSource(TEMPLATE, { a: 1 }))
    expect([cid, cidHash]).toEqual([cidOf(source), outsidersHash(cid)])
    expect(cidHash).toBe(keccak256(toUtf8Bytes(cid)))
  })

  it.each([1, 262_144, 262_145])('has the CID of its source with %i more bytes', async (bytes) => {
    const { source, cid } = await deriveAction(`${TEMPLATE}//${'x'.repeat(bytes)}`, null)
    expect(cid).toBe(cidOf(source))
    expect(cid).toBe(await actionCid(source))
  })

  it('depends on the manifest, but not on the order of its members', async () => {
    const cids = await Promise.all(
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
        { a: 1, b: 3 },
      ].map((manifest) => deriveAction(TEMPLATE, manifest).then(({ cid }) => cid)),
    )
    expect(cids[0]).toBe(cids[1])
    expect(cids[2]).not.toBe(cids[0])
  })

  it('is limited to the size of a source', () => {
    const rest = derivedSource(`${TEMPLATE}//`, null).length
    const most = `${TEMPLATE}//${'x'.repeat(SOURCE_MAX_BYTES - rest)}`
    expect(derivedSource(most, null)).toHaveLength(SOURCE_MAX_BYTES)
    expect(() => derivedSource(`${most}x`, null)).toThrow(/longer than \d+ bytes/)
    expect(() => derivedSource(`${most.slice(0, -1)}é`, null)).toThrow(TemplateRefused)
  })

  it('reports the path of a manifest value that has no canonical text', () => {
    expect(() => derivedSource(TEMPLATE, { fee: [0.1] })).toThrow(/^manifest\.fee\[0\]: a fraction/)
  })

  it('forged field: rejects __proto__, which in a literal sets the prototype and adds a field that was never granted', () => {
    const manifest: unknown = JSON.parse('{"names":{"__proto__":{"admin":true}}}')
    // The effect of the attack if it were accepted.
    const meant = new vm.Script(`(${JSON.stringify(manifest)}).names.admin`).runInNewContext()
    expect(meant).toBe(true)
    expect(() => derivedSource(TEMPLATE, manifest)).toThrow(NotCanonical)
    expect(() => derivedSource(TEMPLATE, manifest)).toThrow(/^manifest\.names\.__proto__: /)
  })
})

describe('the format of a CID', () => {
  const CID = 'QmRf22bZar3WKmojipms22PkXH1MZGmvsqzQtuSvQE3uhm'
  it.each([
    [CID, true],
    [`${CID}1`, false],
    [CID.slice(0, -1), false],
    [`${CID}\n`, false],
    [` ${CID}`, false],
    [CID.replace('m', 'n'), false],
    [CID.replace('2', '0'), false],
    [CID.replace('2', 'I'), false],
    ['bafybeibr5ra4xjcibbsqhpcu6dmqvcqirwmfrtd6mmnuzpogfhtpk7tvyu', false],
    ['', false],
    [undefined, false],
    [[CID], false],
  ])('of %j is valid: %s', (text, right) => {
    expect(isActionCid(text)).toBe(right)
  })
})

/** @returns the reason a template is rejected for; undefined if it is accepted */
function refusalOf(template: string, manifest: unknown = null): string | undefined {
  try {
    derivedSource(template, manifest)
    return undefined
  } catch (error) {
    if (error instanceof TemplateRefused) return error.message
    throw error
  }
}

const compiles = (source: string) => {
  try {
    return new vm.Script(source) instanceof vm.Script
  } catch {
    return false
  }
}

/** Ends a template literal, so that the rest of the text is code. */
const BACKTICK = '`;globalThis.taken=1;//'

/** Pieces of random templates. */
const PIECES =
  '` " \' / * \\ \n { } ( ) [ ] a 1 = ; + , . g : /* */ // ${ ++ => if(1) <!-- --> ... #! of typeof var function(){} /`/'
    .split(' ')
    .concat(' ', '\n', 'return ')

/** Rejections of templates that an engine would accept, but that are ambiguous. */
const UNCLEAR = /ambiguous slash|may start a comment/

describe('a template', () => {
  it.each([
    ['a function', TEMPLATE],
    ['an async function', `async ${TEMPLATE}`],
    ['a constant', 'const template = ({ names }, { n }) => names[n]'],
    ['behind other code', `const limit = 3;\n${TEMPLATE}`],
    ['that ends in a comment of a line', `${TEMPLATE} // the end, with a \` and a /*`],
    ['with comments and strings of all kinds', `/* \` " */ ${TEMPLATE}; "/*"; '\`'; \`/* " \``],
    ['with a literal in a literal', `${TEMPLATE}; \`a\${ { b: \`}\${ 1 }\` }.b }c\``],
    ['with a string that goes on in the next line', `${TEMPLATE}; "a\\\nb\\\r\nc\\""`],
    ['with expressions that hold slashes and quotes', `${TEMPLATE}; /[/"\`]\\/'/g.test("")`],
    ['with divisions', `${TEMPLATE}; let n = 4, g = 2; (n) / 2 / g; [n][0] / 2 / g; n++ / 2`],
    ['with an expression after a head', `${TEMPLATE}; if (1) /"/.test('"'); while (0) /'/g;`],
    ['with an expression after a block', `${TEMPLATE}; if (1) { } (/"/).test('"')`],
    ['that divides an object', `${TEMPLATE}; const o = ({ a: 1 }) / 2; const s = '"'`],
    ['that returns an expression', `${TEMPLATE}; function f() { return /"/ }`],
    ['with a property that is named as a word', `${TEMPLATE}; const o = {}; o.return / 2 / 1`],
    ['with main and MANIFEST in other places', `${TEMPLATE}; ({ main: 1 }).main; "MANIFEST"`],
    ['with letters of other scripts', `const größe = 1, 数 = 2;\n${TEMPLATE}`],
  ])('%s is accepted, and its action runs', async (_what, template) => {
    expect(refusalOf(template)).toBeUndefined()
    const source = derivedSource(template, { names: ['a', 'b'] })
    const run = new vm.Script(`${source};main({ n: 1 })`).runInNewContext()
    expect(await run).toBeDefined()
  })

  it.each([
    ['a comment', `${TEMPLATE} /* to be continued`, 'comment'],
    ['a template literal', `${TEMPLATE}; const text = \`to be continued`, 'template literal'],
    ['a part of a template literal', `${TEMPLATE}; \`a\${ 1`, 'bracket'],
    ['the rest of one', `${TEMPLATE}; \`a\${ 1 } b`, 'template literal'],
    ['a string', `${TEMPLATE}; const text = "to be continued\\`, 'string'],
    ['a regular expression', `${TEMPLATE}; const r = /to be`, 'regular expression'],
    ['a brace', 'function template(manifest, params) { return 1', 'bracket'],
    ['a parenthesis', `${TEMPLATE}; (`, 'bracket'],
  ])('swallowed manifest: %s at its end would absorb the appended text', (_what, template, why) => {
    expect(refusalOf(template)).toContain(why)
  })

  it.each([
    ['a template literal', `${TEMPLATE}; const t = \``, '`;globalThis.taken=1;//'],
    ['a comment', `${TEMPLATE} /*`, '*/globalThis.taken=1;//'],
    ['a string', `${TEMPLATE}; const t = "\\`, ';globalThis.taken=1;//'],
    // Parsed as code if the comment is not recognized, or if a division is read as a regular expression or vice versa.
    ['a literal behind <!--', `${TEMPLATE}\n<!-- \`\n\``, BACKTICK],
    ['a literal behind -->', `${TEMPLATE}\n--> \`\n\``, BACKTICK],
    ['a literal behind #!', `#! \`\n\`;${TEMPLATE}`, BACKTICK],
    ['a divided function', `${TEMPLATE}; var x = function () {} /\`/ 1`, BACKTICK],
    ['a divided class', `${TEMPLATE}; var x = class {} /\`/ 1`, BACKTICK],
    ['a divided of', `${TEMPLATE}; var of = 1; of /\`/ 1`, BACKTICK],
    ['a divided await', `${TEMPLATE}; var await = 1; await /\`/ 1`, BACKTICK],
    ['a divided yield', `${TEMPLATE}; var yield = 1; yield /\`/ 1`, BACKTICK],
    ['a divided 1.', `${TEMPLATE}; 1. /\`/ 1`, BACKTICK],
    ['a spread word', `${TEMPLATE}; [...typeof /\`/]; var x = \`]`, BACKTICK],
    ['a line behind var x', `${TEMPLATE}; var x\n/\`/; x = \``, BACKTICK],
    ['a line behind an arrow', `${TEMPLATE}; var x = () => {}\n/\`/; x = \``, BACKTICK],
    [
      'a line behind break',
      `${TEMPLATE}; a: do { break a\n/\`/; \`} while (0)`,
      '`} while (0);globalThis.taken=1;//',
    ],
    ['a line that begins with ++', `${TEMPLATE}; var x = 0; x\n++/\`/.lastIndex; \``, BACKTICK],
    ['a line behind 1.', `${TEMPLATE}; 1.\nif (1) /\`/; \``, BACKTICK],
    [
      'a method #if',
      `${TEMPLATE}; class A { #if() {} b() { this.#if() /\`/ 1 } }`,
      '`}};globalThis.taken=1;//',
    ],
    [
      'a field #in',
      `${TEMPLATE}; class A { #in; b() { this.#in /\`/ 1 } }`,
      '`}};globalThis.taken=1;//',
    ],
    [
      'what a class extends',
      `${TEMPLATE}; () => { class A extends /\`/ {} \` }`,
      '`};globalThis.taken=1;//',
    ],
    [
      'for and await',
      `${TEMPLATE}; var await = Number, a = { for: 1 }; a.for\nawait (1) /\`/ 1`,
      BACKTICK,
    ],
  ])(
    'injected code: a text in the manifest that ends %s of the template',
    (_what, template, text) => {
      const appended = outsiders(template, { [text]: 1 })
      const world = vm.createContext({ taken: 0 })
      if (compiles(appended)) new vm.Script(appended).runInContext(world)
      // The attack works against a client that follows only the specification.
      expect(world['taken']).toBe(1)
      expect(refusalOf(template, { [text]: 1 })).toBeDefined()
    },
  )

  it.each([
    ['a main', `${TEMPLATE}; function main() {}`],
    ['a main of its own, assigned', `${TEMPLATE}; main = () => 1`],
    ['a MANIFEST', `${TEMPLATE}; var MANIFEST = {}`],
  ])('is rejected by name if it has %s', (_what, template) => {
    expect(refusalOf(template)).toMatch(
      /^template: (main|MANIFEST) is reserved for the appended code/,
    )
  })

  it.each([
    ['nothing', ''],
    ['another function', 'function run(manifest, params) {}'],
    ['only the name', '"template"; // function template'],
    ['one inside of another', 'function f() { function template() {} }'],
  ])('is rejected with a hint if it declares %s', (_what, template) => {
    expect(refusalOf(template)).toContain('declare function template(manifest, params)')
  })

  it('is rejected with half a surrogate pair, because its CID would be that of another text', () => {
    expect(refusalOf(`${TEMPLATE} // \ud800`)).toContain('surrogate')
  })

  it('is reported with the line of an error', () => {
    expect(refusalOf(`${TEMPLATE}\n\n  /* open`)).toBe('template: line 3: unterminated comment')
  })

  it('of several megabytes is checked without a stack overflow', () => {
    const large = 'x\\n'.repeat(1_000_000)
    for (const literal of [`"${large}"`, `\`${large}\``, `/${large}/`, `/*${large}*/`])
      expect(refusalOf(`${TEMPLATE};${literal}`)).toBeUndefined()
  })

  it('that is accepted and compiles with the manifest also compiles without it, whatever its pieces', () => {
    const piece = fc.constantFrom(...PIECES)
    const manifest = { '`;//': '*/;/*`', '";//': "';" }
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const template = `${TEMPLATE}\n${pieces.join('')}`
        const refusal = refusalOf(template, manifest)
        const taken = refusal === undefined
        if (taken && compiles(derivedSource(template, manifest)))
          expect(compiles(template), template).toBe(true)
        // Conversely, a template that compiles is not rejected unless it is ambiguous.
        else if (!taken && !UNCLEAR.test(refusal)) expect(compiles(template), template).toBe(false)
      }),
      { numRuns: 3_000 },
    )
  })
})
