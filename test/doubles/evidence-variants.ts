/** Whose evidence the origin's double shows. */
export type EvidenceVariant =
  | 'good'
  /** The quotes are of now, the files of ten days ago. */
  | 'old files'
  /** The quote for a nonce is one that was made for another. */
  | 'recorded quote'
  /** The same machine, with another compose text. */
  | 'another app'
  /** The good machine's application, with another compose text: a new version of it. */
  | 'new version'
  /** The same application, on a machine of somebody else's root. */
  | 'another root'
  | 'his own key'
  | 'his own key, quoted for his nonce'

/** Asks the double for the evidence of somebody. */
export const VARIANT_HEADER = 'x-double-evidence'
