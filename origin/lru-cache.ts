export class LruCache<Value> {
  readonly #max: number
  readonly #values = new Map<string, Value>()

  constructor(max: number) {
    this.#max = max
  }

  getOrCreate(name: string, make: () => Value): Value {
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
