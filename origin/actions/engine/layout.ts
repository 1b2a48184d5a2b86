/** Memory layout of the pinned engine build. The self-test fails with any other build. */
import type { Pointer } from './quickjs.ts'
import type { Vm } from './vm.ts'

/** Memory boundaries of the engine: static data, then 5 MiB of C stack that grows downwards, then the heap. */
export const STATIC_END = 90_208
export const STACK_TOP = 5_333_088

/**
 * Offset, in the runtime structure, of the flags that `JS_SetStripInfo` sets. The engine does not export that function.
 */
const STRIP_FLAGS_AT = 228
const STRIP_SOURCE = 1

/**
 * Discards the source text of the functions that `load` compiles, which would otherwise add a megabyte to every reset.
 * Functions compiled later keep their source text.
 */
export function withoutSourceText<T>(vm: Vm, load: () => T): T {
  const { bytes } = vm.engine
  const at = vm.runtime + STRIP_FLAGS_AT
  if (bytes[at] !== 0)
    throw new Error('the engine is not the pinned build: its strip flags are set')
  bytes[at] = STRIP_SOURCE
  if (textOfFunction(vm).includes('marked'))
    throw new Error('the engine keeps the source text of functions')
  const loaded = load()
  bytes[at] = 0
  if (!textOfFunction(vm).includes('marked'))
    throw new Error('the engine does not keep the source text of functions')
  return loaded
}

function textOfFunction({ values, file }: Vm): string {
  const text = values.evaluate('String(function marked() { /* marked */ })', file)
  if ('thrown' in text) return ''
  const read = values.readText(text.value).replace('function marked', '')
  values.free(text.value)
  return read
}

/** Computes one step of xorshift64*, the generator of Math.random. */
function nextRandomState(state: bigint): bigint {
  let next = state ^ (state >> 12n)
  next = BigInt.asUintN(64, next ^ (next << 25n))
  return next ^ (next >> 27n)
}

/**
 * Finds the address of Math.random's state. Calls Math.random three times and searches the heap for the only word that
 * advances by one step of the generator each time. Leaves the guest otherwise unchanged.
 */
export function findRandomState(vm: Vm): Pointer {
  const { bytes } = vm.engine
  const end = vm.engine.heapEnd.get()
  const words = new BigUint64Array(bytes.buffer, STACK_TOP, (end - STACK_TOP) >> 3)
  const found = vm.values.evaluate('Math.random', vm.file)
  if ('thrown' in found) throw new Error('Math.random is missing')
  const states = [0, 1, 2].map(() => {
    vm.values.call(found.value, [])
    return words.slice()
  })
  vm.values.free(found.value)
  const [first, second, third] = states as [BigUint64Array, BigUint64Array, BigUint64Array]
  const places: Pointer[] = []
  for (let at = 0; at < first.length; at++) {
    const [one, two, three] = [first[at] ?? 0n, second[at] ?? 0n, third[at] ?? 0n]
    if (one !== two && nextRandomState(one) === two && nextRandomState(two) === three)
      places.push(STACK_TOP + at * 8)
  }
  const [place] = places
  if (place === undefined || places.length > 1)
    throw new Error(`the state of Math.random was found at ${places.length} addresses, expected 1`)
  return place
}
