import { expect } from 'vitest'
import type { sharedPool } from './sandbox.ts'

/** The outcome of a probe: its value as JSON, or the name of the error it threw. */
type Outcome = { value?: unknown; error?: string }

type Probe<I> = (input: I) => unknown

/** Must be self-contained: it is sent to the sandbox as text. */
async function each<I>(probe: Probe<I>, inputs: I[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const input of inputs) {
    try {
      outcomes.push({ value: await probe(input) })
    } catch (error) {
      outcomes.push({ error: (error as Error).name })
    }
  }
  return outcomes
}

/**
 * Runs a probe over the same inputs in Node and inside the sandbox, and expects equal outcomes. Node's implementation
 * is the oracle. A probe may use only its argument and globals, and must return JSON-serializable values.
 */
export async function sameAsNode<I>(
  sandbox: ReturnType<typeof sharedPool>,
  inputs: I[],
  probe: Probe<I>,
): Promise<void> {
  const params = JSON.parse(JSON.stringify({ inputs })) as { inputs: I[] }
  const here = JSON.parse(JSON.stringify(await each(probe, params.inputs))) as Outcome[]
  const code = `'use strict'; const probe = ${String(probe)}; const each = ${String(each)}
    const main = ({ inputs }) => each(probe, inputs)`
  const there = (await sandbox.value(code, params)) as Outcome[]
  const beside = (outcomes: Outcome[]) =>
    outcomes.map((outcome, at) => ({ input: params.inputs[at], ...outcome }))
  expect(beside(there)).toEqual(beside(here))
}
