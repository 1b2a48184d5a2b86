export type DocumentSource = {
  /** From the root of the repository: `docs/deploy.md`. */
  file: string
  /** Its h1, without markup. */
  title: string
  /** Its first sentence, without markup; of a decision, none. */
  lead: string
  /** Reads it, only when somebody looks. */
  load: () => Promise<{ default: string }>
}
