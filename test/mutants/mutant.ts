/** A small semantic change to one source file that at least one test should detect. */
export type Mutant = {
  /** Unique; `--only` selects by it. */
  id: string
  /** Relative to the repository root. */
  file: string
  /** Must occur exactly once in the file. */
  from: string
  to: string
  /** A short description of the bug. */
  meaning: string
  /** Test files, at least one of which should fail. */
  tests: readonly string[]
}
