/** The values that were asked for last, by name; which are the oldest is seen when there are too many. */
export class Recent<Value> {
  readonly #max: number
  readonly #values = new Map<string, Value>()

  constructor(max: number) {
    this.#max = max
  }

  /** The value of that name, made where it is not known. */
  get(name: string, make: () => Value): Value {
    const known = this.#values.get(name)
    const value = known ?? make()
    if (known !== undefined) this.#values.delete(name)
    this.#values.set(name, value)
    if (this.#values.size > this.#max) {
      for (const oldest of this.#values.keys()) {
        this.#values.delete(oldest)
        break
      }
    }
    return value
  }
}
