export type DocumentSource = {
  /** Path from the root of the repository, for example `docs/deploy.md`. */
  file: string
  /** The h1, without markup. */
  title: string
  /** First sentence. Empty for a decision. */
  lead: string
  load: () => Promise<{ default: string }>
}
