export type DocumentSource = {
  /** Path of the file from the root of the repository, for example `docs/deploy.md`. */
  file: string
  /** Text of the document's h1, without markup. */
  title: string
  /** First sentence of the document, without markup. Empty for a decision. */
  lead: string
  /** Loads the document's text on demand. */
  load: () => Promise<{ default: string }>
}
