export type DocumentSource = {
  /** Path of the document relative to the repository root, for example `docs/deploy.md`. */
  file: string
  /** Text of the document's h1, without markup. */
  title: string
  /** First sentence of the document. Empty for decision records. */
  lead: string
  load: () => Promise<{ default: string }>
}
