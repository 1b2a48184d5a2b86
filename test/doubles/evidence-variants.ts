/** Evidence that the origin double serves. */
export type EvidenceVariant =
  | 'good'
  /** Current quotes, with files that are ten days old. */
  | 'old files'
  /** Returns a quote made for another nonce. */
  | 'recorded quote'
  /** The same machine with another compose file. */
  | 'another app'
  /** The application ID of the good machine with another compose file, as after an upgrade. */
  | 'new version'
  /** The same application on a machine with another root. */
  | 'another root'
  | 'his own key'
  | 'his own key, quoted for his nonce'

/** Request header that selects the evidence of the double. */
export const VARIANT_HEADER = 'x-double-evidence'
