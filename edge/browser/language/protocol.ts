/** Messages between the editor and the language service, which runs in a worker. Positions are offsets in UTF-16 units. */

export type LanguageRequest =
  | { method: 'complete'; source: string; position: number }
  | { method: 'explain'; source: string; position: number; name: string }
  | { method: 'hover'; source: string; position: number }
  | { method: 'check'; source: string }

/** Longer sources are not sent: they are output of bundlers, whose checks would be slow and of little use. */
export const CHECKED_SOURCE_MAX_CHARS = 200_000

export type CompletionName = { name: string; isLessLikely?: true }
export type Completions = { from: number; names: CompletionName[] }
/** A declaration and its documentation, both as text. */
export type Explanation = { declaration: string; documentation: string }
export type Hover = Explanation & { from: number; to: number }
export type Problem = { from: number; to: number; text: string }

/** Null if there is nothing at the position. */
export type LanguageResults = {
  complete: Completions | null
  explain: Explanation | null
  hover: Hover | null
  check: Problem[]
}

export type NumberedRequest = LanguageRequest & { id: number }
/** The first message has no ID: the worker is ready. A failed request has no result. */
export type NumberedResponse = { id?: number; result?: LanguageResults[LanguageRequest['method']] }
