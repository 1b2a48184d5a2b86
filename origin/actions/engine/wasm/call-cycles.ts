import type { WasmLayout } from './module.ts'

/**
 * Functions of which every cycle of calls contains at least one: recursion of any shape enters one of them again
 * and again. An indirect call counts as a call of each function in the table that has its type, so no cycle is
 * missed. Cycles through the host are not seen here; each passes through the interpreter, which has a loop.
 *
 * A smallest such set is hard to find. Taking the function with the most callees first gives one that is small and
 * seldom entered: what is called all the time calls little.
 */
export function cycleBreakers(layout: WasmLayout): Set<number> {
  const callees = callGraph(layout)
  const callers: Graph = new Map()
  for (const index of callees.keys()) callers.set(index, new Set())
  for (const [index, called] of callees)
    for (const callee of called) callers.get(callee)?.add(index)

  /** Takes functions out of the graph, and with them those that are then in no cycle any more. */
  const remove = (indices: number[]) => {
    for (const index of indices) {
      const [called, calling] = [callees.get(index), callers.get(index)]
      if (called === undefined || calling === undefined) continue
      callees.delete(index)
      callers.delete(index)
      for (const callee of called)
        if (leave(callers.get(callee), index) && callees.has(callee)) indices.push(callee)
      for (const caller of calling)
        if (leave(callees.get(caller), index) && callees.has(caller)) indices.push(caller)
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

/** True when nothing is left in the set. */
function leave(set: Set<number> | undefined, index: number): boolean {
  set?.delete(index)
  return set?.size === 0
}

/** One that calls itself is in any case part of the answer. */
function busiest(callees: Graph): number | undefined {
  let [best, most] = [undefined as number | undefined, -1]
  for (const [index, called] of callees) {
    if (called.has(index)) return index
    if (called.size > most) [best, most] = [index, called.size]
  }
  return best
}
