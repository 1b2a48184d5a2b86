export class LruCache<Value> {
  readonly #max: number
  readonly #weightOf: (value: Value) => number
  readonly #values = new Map<string, Value>()
  #weight = 0

  /**
   * @param max maximum total weight of the values
   * @param weightOf returns the weight of a value, which must not change; 1 by default
   */
  constructor(max: number, weightOf: (value: Value) => number = () => 1) {
    this.#max = max
    this.#weightOf = weightOf
  }

  get(name: string): Value | undefined {
    const value = this.#values.get(name)
    if (value !== undefined) {
      this.#values.delete(name)
      this.#values.set(name, value)
    }
    return value
  }

  getOrCreate(name: string, make: () => Value): Value {
    const known = this.get(name)
    if (known !== undefined) return known
    const value = make()
    this.#values.set(name, value)
    this.#weight += this.#weightOf(value)
    for (const [oldest, evicted] of this.#values) {
      if (this.#weight <= this.#max) break
      this.#values.delete(oldest)
      this.#weight -= this.#weightOf(evicted)
    }
    return value
  }
}
