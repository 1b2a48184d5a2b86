import vm from 'node:vm'
import { keccak256, toUtf8Bytes } from 'ethers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isActionCid } from '../../shared/action-cid.ts'
import { NotCanonical } from '../../shared/canonical-json.ts'
import { actionCid } from '../../shared/cid.ts'
import { deriveAction, derivedSource, TemplateRefused } from '../../shared/derived-action.ts'
import { SOURCE_MAX_BYTES } from '../../shared/limits.ts'
import { cidHash as outsidersHash, cidOf } from '../conformance/spec-client/cid.ts'
import { derivedAction as outsiders } from '../conformance/spec-client/derived-action.ts'

const TEMPLATE = 'function template(manifest, params) { return { manifest, params } }'

describe('a derived action', () => {
  it('is the template, the manifest as a constant, and a main that joins them, byte for byte', () => {
    expect(derivedSource(TEMPLATE, { names: ['b', 'a'], limit: 3 })).toBe(
      `${TEMPLATE}\nconst MANIFEST={"limit":3,"names":["b","a"]};\n` +
        'async function main(params) { return template(MANIFEST, params) }\n',
    )
  })

  it('is what a client makes that was written from the specification alone', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.maxSafeInteger()), (manifest) => {
        fc.pre(!Object.hasOwn(manifest, '__proto__'))
        expect(derivedSource(TEMPLATE, manifest)).toBe(outsiders(TEMPLATE, manifest))
      }),
    )
  })

  it('comes with its CID and the hash of it, as the other client computes them', async () => {
    const { source, cid, cidHash } = await deriveAction(TEMPLATE, { a: 1 })
    expect(source).toBe(derivedSource(TEMPLATE, { a: 1 }))
    expect([cid, cidHash]).toEqual([cidOf(source), outsidersHash(cid)])
    expect(cidHash).toBe(keccak256(toUtf8Bytes(cid)))
  })

  it.each([1, 262_144, 262_145])(
    'has the CID of a source of so many bytes more: %i',
    async (bytes) => {
      const { source, cid } = await deriveAction(`${TEMPLATE}//${'x'.repeat(bytes)}`, null)
      expect(cid).toBe(cidOf(source))
      expect(cid).toBe(await actionCid(source))
    },
  )

  it('is another for another manifest, and the same for the same in another order', async () => {
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

  it('has at most the bytes of a source', () => {
    const rest = derivedSource(`${TEMPLATE}//`, null).length
    const most = `${TEMPLATE}//${'x'.repeat(SOURCE_MAX_BYTES - rest)}`
    expect(derivedSource(most, null)).toHaveLength(SOURCE_MAX_BYTES)
    expect(() => derivedSource(`${most}x`, null)).toThrow(/longer than \d+ bytes/)
    expect(() => derivedSource(`${most.slice(0, -1)}é`, null)).toThrow(TemplateRefused)
  })

  it('names the place in the manifest that has no canonical text', () => {
    expect(() => derivedSource(TEMPLATE, { fee: [0.1] })).toThrow(/^manifest\.fee\[0\]: a fraction/)
  })

  it('forged field: __proto__ in a literal sets the prototype, and a name that nobody granted is there', () => {
    const manifest: unknown = JSON.parse('{"names":{"__proto__":{"admin":true}}}')
    // What the attack would gain, were it let through.
    const meant = new vm.Script(`(${JSON.stringify(manifest)}).names.admin`).runInNewContext()
    expect(meant).toBe(true)
    expect(() => derivedSource(TEMPLATE, manifest)).toThrow(NotCanonical)
    expect(() => derivedSource(TEMPLATE, manifest)).toThrow(/^manifest\.names\.__proto__: /)
  })
})

describe('the shape of a CID', () => {
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
  ])('of %j is right: %s', (text, right) => {
    expect(isActionCid(text)).toBe(right)
  })
})

/** What a template is refused for; `undefined` where it is taken. */
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

/** Ends a template literal; the rest of the text is code then. */
const BACKTICK = '`;globalThis.taken=1;//'

/** What templates of the property are put together from. */
const PIECES =
  '` " \' / * \\ \n { } ( ) [ ] a 1 = ; + , . g : /* */ // ${ ++ => if(1) <!-- --> ... #! of typeof var function(){} /`/'
    .split(' ')
    .concat(' ', '\n', 'return ')

/** Refused although an engine takes it: to be written otherwise. */
const UNCLEAR = /a slash that may|can be a comment/

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
  ])('%s is taken, and its action runs', async (_what, template) => {
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
  ])('swallowed manifest: %s at its end would take in what is appended', (_what, template, why) => {
    expect(refusalOf(template)).toContain(why)
  })

  it.each([
    ['a template literal', `${TEMPLATE}; const t = \``, '`;globalThis.taken=1;//'],
    ['a comment', `${TEMPLATE} /*`, '*/globalThis.taken=1;//'],
    ['a string', `${TEMPLATE}; const t = "\\`, ';globalThis.taken=1;//'],
    // Read as code by who takes the comment for none, or the slash for the other of the two that it can be.
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
      // The specification's own wording lets it through.
      expect(world['taken']).toBe(1)
      expect(refusalOf(template, { [text]: 1 })).toBeDefined()
    },
  )

  it.each([
    ['a main', `${TEMPLATE}; function main() {}`],
    ['a main of its own, assigned', `${TEMPLATE}; main = () => 1`],
    ['a MANIFEST', `${TEMPLATE}; var MANIFEST = {}`],
  ])('that has %s is refused by that name', (_what, template) => {
    expect(refusalOf(template)).toMatch(/^template: (main|MANIFEST) is for what is appended/)
  })

  it.each([
    ['nothing', ''],
    ['another function', 'function run(manifest, params) {}'],
    ['only the name', '"template"; // function template'],
    ['one inside of another', 'function f() { function template() {} }'],
  ])('that declares %s is told what to declare', (_what, template) => {
    expect(refusalOf(template)).toContain('declare function template(manifest, params)')
  })

  it('with half a surrogate pair is refused: its CID would be of another text', () => {
    expect(refusalOf(`${TEMPLATE} // \ud800`)).toContain('surrogate')
  })

  it('is told on which line it went wrong', () => {
    expect(refusalOf(`${TEMPLATE}\n\n  /* open`)).toBe(
      'template: line 3: a comment that does not end',
    )
  })

  it('of megabytes is looked at without running out of stack', () => {
    const large = 'x\\n'.repeat(1_000_000)
    for (const literal of [`"${large}"`, `\`${large}\``, `/${large}/`, `/*${large}*/`])
      expect(refusalOf(`${TEMPLATE};${literal}`)).toBeUndefined()
  })

  it('that is taken and compiles with the manifest is whole without it, whatever it is put together from', () => {
    const piece = fc.constantFrom(...PIECES)
    const manifest = { '`;//': '*/;/*`', '";//': "';" }
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const template = `${TEMPLATE}\n${pieces.join('')}`
        const refusal = refusalOf(template, manifest)
        const taken = refusal === undefined
        if (taken && compiles(derivedSource(template, manifest)))
          expect(compiles(template), template).toBe(true)
        // The other way round: what an engine takes whole is not refused, unless it can be read in two ways.
        else if (!taken && !UNCLEAR.test(refusal)) expect(compiles(template), template).toBe(false)
      }),
      { numRuns: 3_000 },
    )
  })
})
