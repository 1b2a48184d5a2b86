/**
 * Writes the lines of one turn of the event loop together, because each write to a pipe blocks for a system call. If
 * the process is killed, the lines of the current turn are lost.
 */
export class LineBuffer {
  readonly #write: (text: string) => void
  #text = ''

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  /** @param line including its line feed */
  add(line: string): void {
    if (this.#text === '') setImmediate(() => this.flush())
    this.#text += line
  }

  /** Must be called before the process exits. */
  flush(): void {
    if (this.#text === '') return
    const text = this.#text
    this.#text = ''
    this.#write(text)
  }
}
