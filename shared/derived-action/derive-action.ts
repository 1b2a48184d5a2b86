/**
 * Derives actions from a shared template and the user's own constants, the manifest. Anyone who has the template and
 * the manifest can compute the source, the CID, and thereby the action's key offline (`docs/derived-actions.md`).
 */
import { cidHash } from '../cid/cid-format.ts'
import { canonicalJson } from './canonical-json.ts'
import { SOURCE_MAX_BYTES } from '../limits.ts'
import { SourceSyntaxError, tokensOf } from './source-tokens.ts'

/** Source that is appended after the manifest. Any change to this text would change the CIDs of derived actions. */
const MAIN_SOURCE = 'async function main(params) { return template(MANIFEST, params) }\n'

/** The template cannot be used to derive actions. */
export class TemplateRefused extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`template: ${reason}`, options)
    this.name = 'TemplateRefused'
  }
}

export type DerivedAction = {
  /** Complete source of the action, to be sent as `code` to `svc_action` on every call. */
  source: string
  /** CID of the action, for `add_action_to_group`. */
  cid: string
  /** The keccak-256 of the CID as 0x hex, for `cid_hashes_permitted`. */
  cidHash: string
}

/**
 * Derives an action from a template and a manifest.
 * @param template JavaScript that declares `function template(manifest, params)`, or an equivalent `const`, at its top
 *   level
 * @param manifest data: strings, safe integers, booleans, null, arrays and plain objects
 * @throws {TemplateRefused | NotCanonical}
 */
export async function deriveAction(template: string, manifest: unknown): Promise<DerivedAction> {
  const source = derivedSource(template, manifest)
  // The IPFS library is loaded on demand, because it is larger than the rest of the client.
  const { actionCid } = await import('../cid/compute-cid.ts')
  const cid = await actionCid(source)
  return { source, cid, cidHash: cidHash(cid) }
}

/** @throws {TemplateRefused | NotCanonical} */
export function derivedSource(template: string, manifest: unknown): string {
  requireTemplate(template)
  const json = canonicalJson(manifest, { name: 'manifest', refuseKey: rejectPrototypeKey })
  const source = `${template}\nconst MANIFEST=${json};\n${MAIN_SOURCE}`
  if (new TextEncoder().encode(source).length > SOURCE_MAX_BYTES)
    throw new TemplateRefused(
      `template and manifest together are longer than ${SOURCE_MAX_BYTES} bytes`,
    )
  return source
}

/**
 * Rejects the key `__proto__`. In an object literal, it sets the prototype, so its value would be inherited instead of
 * being data.
 */
function rejectPrototypeKey(key: string): string | undefined {
  if (key !== '__proto__') return undefined
  return 'not allowed, because in a source it would set the prototype'
}

const DECLARATION_KEYWORDS = new Set(['function', 'const', 'let', 'var'])
const RESERVED_NAMES = new Set(['main', 'MANIFEST'])

/**
 * Checks the template's syntax. An unterminated comment or literal could extend into a string of the manifest, and the
 * rest of that string would run as code. The check is not a security review of the template, which its users still have
 * to read in full.
 */
function requireTemplate(template: string): void {
  if (!template.isWellFormed())
    throw new TemplateRefused('contains a lone surrogate, which UTF-8 cannot encode')
  let declared = false
  let last = ''
  try {
    for (const { text, depth } of tokensOf(template)) {
      if (depth === 0 && last !== '.' && RESERVED_NAMES.has(text))
        throw new TemplateRefused(
          `${text} is reserved for the appended code and must not be used at the top level`,
        )
      if (depth === 0 && text === 'template' && DECLARATION_KEYWORDS.has(last)) declared = true
      last = text
    }
  } catch (error) {
    if (!(error instanceof SourceSyntaxError)) throw error
    throw new TemplateRefused(error.message, { cause: error })
  }
  if (!declared)
    throw new TemplateRefused('declare function template(manifest, params) at the top level')
}
