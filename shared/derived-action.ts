/**
 * Derived actions (specification, Action identity 3): a template that many use, with a constant of one's own. Who has the
 * template and the manifest knows source, CID and so the action's key, without asking anybody (`docs/derived-actions.md`).
 */
import { cidHash } from './action-cid.ts'
import { canonicalJson } from './canonical-json.ts'
import { SOURCE_MAX_BYTES } from './limits.ts'
import { SourceUnended, tokensOf } from './source-tokens.ts'

/**
 * What stands behind the manifest. The specification says what it does, this is its text: another byte of it would be
 * another action.
 */
const MAIN = 'async function main(params) { return template(MANIFEST, params) }\n'

/** A template that can not be derived from. */
export class TemplateRefused extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`template: ${reason}`, options)
    this.name = 'TemplateRefused'
  }
}

export type DerivedAction = {
  /** Goes into `svc_action` as `code`, whole, each time. */
  source: string
  /** Of `add_action_to_group`. */
  cid: string
  /** Of `cid_hashes_permitted`: keccak256 of the CID, 0x hex. */
  cidHash: string
}

/**
 * @param template JavaScript that declares `function template(manifest, params)` at its top level, or the same as a `const`
 * @param manifest data; strings, safe integers, booleans, null, arrays and plain objects
 * @throws {TemplateRefused | NotCanonical}
 */
export async function deriveAction(template: string, manifest: unknown): Promise<DerivedAction> {
  const source = derivedSource(template, manifest)
  // Loaded when it is needed: the library behind it is larger than the rest of a client.
  const { actionCid } = await import('./cid.ts')
  const cid = await actionCid(source)
  return { source, cid, cidHash: cidHash(cid) }
}

/** @throws {TemplateRefused | NotCanonical} */
export function derivedSource(template: string, manifest: unknown): string {
  requireTemplate(template)
  const json = canonicalJson(manifest, { name: 'manifest', refuseKey })
  const source = `${template}\nconst MANIFEST=${json};\n${MAIN}`
  if (new TextEncoder().encode(source).length > SOURCE_MAX_BYTES)
    throw new TemplateRefused(`with the manifest it is longer than ${SOURCE_MAX_BYTES} bytes`)
  return source
}

/**
 * The one place where JSON is not JavaScript: this member of a literal is no member, but sets the prototype. What is shown
 * as data inside of it would be read as fields of the manifest.
 */
function refuseKey(key: string): string | undefined {
  if (key !== '__proto__') return undefined
  return 'in a source this would set the prototype, and be no member'
}

const DECLARES = new Set(['function', 'const', 'let', 'var'])
const OURS = new Set(['main', 'MANIFEST'])

/**
 * Looks at what would change the meaning of what is appended: an open comment or literal would take it in, up to where a
 * string of the manifest ends it and the rest of that string is code. It is no review: who reads a template reads all of it.
 */
function requireTemplate(template: string): void {
  if (!template.isWellFormed())
    throw new TemplateRefused('half a surrogate pair, which UTF-8 can not carry')
  let declared = false
  let last = ''
  try {
    for (const { text, depth } of tokensOf(template)) {
      if (depth === 0 && last !== '.' && OURS.has(text))
        throw new TemplateRefused(`${text} is for what is appended; the template must not name it`)
      if (depth === 0 && text === 'template' && DECLARES.has(last)) declared = true
      last = text
    }
  } catch (error) {
    if (!(error instanceof SourceUnended)) throw error
    throw new TemplateRefused(error.message, { cause: error })
  }
  if (!declared)
    throw new TemplateRefused('declare function template(manifest, params) at the top level')
}
