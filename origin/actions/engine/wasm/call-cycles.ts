import type { WasmLayout } from './module.ts'

/**
 * Returns a set that contains at least one function of every call cycle, so that every recursion enters one of these
 * functions. An indirect call counts as a call of all functions in the table that have the call's type, so no cycle is
 * missed. Cycles through the host also pass through the interpreter, which contains a loop with a fuel check.
 *
 * A minimal set is hard to compute. Greedily choosing the function with the most callees gives a small set of rarely
 * entered functions, because frequently called functions have few callees.
 */
export function cycleBreakers(layout: WasmLayout): Set<number> {
  const callees = callGraph(layout)
  const callers: Graph = new Map()
  for (const index of callees.keys()) callers.set(index, new Set())
  for (const [index, called] of callees)
    for (const callee of called) callers.get(callee)?.add(index)

  const remove = (indices: number[]) => {
    for (const index of indices) {
      const [called, calling] = [callees.get(index), callers.get(index)]
      if (called === undefined || calling === undefined) continue
      callees.delete(index)
      callers.delete(index)
      for (const callee of called)
        if (removeFrom(callers.get(callee), index) && callees.has(callee)) indices.push(callee)
      for (const caller of calling)
        if (removeFrom(callees.get(caller), index) && callees.has(caller)) indices.push(caller)
    }
  }
  const breakers = new Set<number>()
  const alone = (index: number) => callees.get(index)?.size === 0 || callers.get(index)?.size === 0
  remove([...callees.keys()].filter(alone))
  for (;;) {
    const next = busiest(callees)
    if (next === undefined) return breakers
    breakers.add(next)
    remove([next])
  }
}

type Graph = Map<number, Set<number>>

function callGraph({ bodies, functionTypes, imports, tableFunctions, types }: WasmLayout): Graph {
  const own = (index: number) => index >= imports.length
  const signature = (type: number) => JSON.stringify(types[type])
  const inTable = Map.groupBy(tableFunctions.filter(own), (index) =>
    signature(functionTypes[index - imports.length] ?? -1),
  )
  return new Map(
    bodies.map(({ index, calls, callTypes }) => {
      const callees = new Set([...calls].filter(own))
      for (const type of callTypes)
        for (const callee of inTable.get(signature(type)) ?? []) callees.add(callee)
      return [index, callees]
    }),
  )
}

function removeFrom(set: Set<number> | undefined, index: number): boolean {
  set?.delete(index)
  return set?.size === 0
}

/**
 * Chooses the next function for the result: a function that calls itself, because the result must contain it in any
 * case; otherwise the function with the most callees.
 */
function busiest(callees: Graph): number | undefined {
  let [best, most] = [undefined as number | undefined, -1]
  for (const [index, called] of callees) {
    if (called.has(index)) return index
    if (called.size > most) [best, most] = [index, called.size]
  }
  return best
}
