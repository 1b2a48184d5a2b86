/** Closes resources once, in reverse order of registration. */
export class Lifecycle {
  readonly #closers: { name: string; close: () => Promise<void> | void }[] = []
  #closing: Promise<void> | undefined

  onClose(name: string, close: () => Promise<void> | void): void {
    this.#closers.unshift({ name, close })
  }

  close(report: (name: string, error: unknown) => void): Promise<void> {
    this.#closing ??= this.#closeAll(report)
    return this.#closing
  }

  async #closeAll(report: (name: string, error: unknown) => void): Promise<void> {
    // Removes the closers one by one, because a startup in progress may register more closers in the meantime.
    for (let next = this.#closers.shift(); next; next = this.#closers.shift()) {
      try {
        await next.close()
      } catch (error) {
        report(next.name, error)
      }
    }
  }
}
