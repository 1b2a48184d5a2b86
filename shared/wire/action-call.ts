/** Schemas of action calls. Clients load this module to seal calls, so it does not import ethers, which is large. */
import { jsonObjectSchema } from './json-object.ts'
import { textSchema } from './text.ts'

/**
 * Source of an action. It must be well-formed Unicode: the CID is computed from UTF-8, where a lone surrogate becomes
 * U+FFFD, so the permitted source would differ from the source that the engine runs.
 */
export const sourceSchema = textSchema

/** Params of an action. */
export const paramsSchema = jsonObjectSchema
