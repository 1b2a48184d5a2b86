export type DocumentSource = {
  /** Path from the root of the repository: `docs/deploy.md`. */
  file: string
  /** Text of the h1, without markup. */
  title: string
  /** The first sentence, without markup; empty for a decision. */
  lead: string
  /** Loads the text on demand. */
  load: () => Promise<{ default: string }>
}
