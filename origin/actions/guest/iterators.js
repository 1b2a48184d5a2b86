/* oxlint-disable typescript/no-useless-default-assignment -- the defaults set each function's standard length */
/*
 * The members that Web IDL defines for a class that iterates over pairs: entries, keys, values, forEach, and the
 * iterator.
 */
export default function iterators(_host, base, { webidl }) {
  const { TypeError, apply, define, prototypeOf, setPrototypeOf } = base
  const { iterator, toStringTag } = Symbol
  const IteratorPrototype = prototypeOf(prototypeOf([][iterator]()))

  return {
    /*
     * Adds the iteration members to a class. `pairsOf(object)` returns the object's current list of pairs, and throws
     * for an object of another class. Must be called only while the prelude is loading.
     */
    install(Class, pairsOf) {
      class PairIterator {
        #object
        #kind
        #at = 0

        constructor(object, kind) {
          this.#object = object
          this.#kind = kind
        }

        next() {
          const pairs = pairsOf(this.#object)
          if (this.#at >= pairs.length) return { value: undefined, done: true }
          const pair = pairs[this.#at++]
          const value = this.#kind === 'entries' ? [pair[0], pair[1]] : pair[this.#kind]
          return { value, done: false }
        }
      }
      const { prototype } = PairIterator
      delete prototype.constructor
      define(prototype, 'next', { enumerable: true })
      define(prototype, toStringTag, { value: Class.name + ' Iterator', configurable: true })
      setPrototypeOf(prototype, IteratorPrototype)

      const iterate = (object, kind) => {
        pairsOf(object)
        return new PairIterator(object, kind)
      }
      const members = {
        entries() {
          return iterate(this, 'entries')
        },
        keys() {
          return iterate(this, 0)
        },
        values() {
          return iterate(this, 1)
        },
        forEach(callback, thisArg = undefined) {
          let pairs = pairsOf(this)
          webidl.required(arguments.length, 1, Class.name + '.forEach')
          if (typeof callback !== 'function') {
            throw new TypeError(Class.name + '.forEach: expected a function')
          }
          for (let at = 0; at < pairs.length; at++) {
            apply(callback, thisArg, [pairs[at][1], pairs[at][0], this])
            pairs = pairsOf(this)
          }
        },
      }
      for (const [name, value] of Object.entries(members)) {
        define(Class.prototype, name, {
          value,
          writable: true,
          enumerable: true,
          configurable: true,
        })
      }
      const entries = base.descriptorOf(members, 'entries')
      define(Class.prototype, iterator, { ...entries, enumerable: false })
    },
  }
}
