/** A small semantic change of one source file that a test has to notice. */
export type Mutant = {
  /** Unique; `--only` selects by it. */
  id: string
  /** Path from the repository's root. */
  file: string
  /** Occurs exactly once in the file. */
  from: string
  to: string
  /** The fault, in a few words. */
  meaning: string
  /** Test files of which at least one should fail. */
  tests: readonly string[]
}
