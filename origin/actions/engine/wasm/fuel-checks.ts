import type { FunctionBody, Site } from './function-body.ts'
import { I32, NO_RESULT, OP } from './instructions.ts'
import { s32, u32, Writer } from './writer.ts'

/** The counter and the function that is called when it has run out, by their indices. */
export type Fuel = { global: number; refill: number }

/** Bytes of a bulk copy or fill that cost as much as one turn of a loop: 2^6 is 6 ns at 10 GB/s. */
const BULK_SHIFT = 6

export type CheckedBody = {
  /** An entry of the code section without its size. */
  bytes: Writer
  /** Where in these bytes the `if`s are that are hardly ever taken. */
  unlikely: number[]
}

/** The same function, which pays before each branch back, each bulk operation and, if wished, each start. */
export function withChecks(
  source: Uint8Array,
  body: FunctionBody,
  fuel: Fuel,
  payAtEntry: boolean,
): CheckedBody {
  if (body.sites.length === 0 && !payAtEntry)
    return { bytes: new Writer().add(source.subarray(body.at, body.end)), unlikely: [] }
  const scratch = u32(body.locals)
  const bytes = new Writer()
    .add(u32(body.localGroups + 1))
    .add(source.subarray(body.localsAt, body.codeAt))
    .add([...u32(1), I32])
  const unlikely: number[] = []
  const one = payment(fuel, scratch, [OP.i32Const, ...s32(1)])
  // The length is on top of the stack, and stays there.
  const length = payment(fuel, scratch, [
    OP.localGet,
    ...scratch,
    OP.i32Const,
    BULK_SHIFT,
    OP.i32ShrU,
  ])
  const pay = ({ price, refill }: Payment) => {
    unlikely.push(bytes.add(price).length)
    bytes.add(refill)
  }
  const guard = (site: Site) => {
    if (site.kind === 'bulk') {
      bytes.add([OP.localTee, ...scratch])
      pay(length)
    } else if (site.kind === 'back_branch' && site.conditional) {
      bytes.add([OP.if, NO_RESULT])
      pay(one)
      // One block deeper than it was.
      bytes.add([OP.br, ...u32(site.depth + 1), OP.end])
    } else pay(one)
  }

  if (payAtEntry) pay(one)
  let copied = body.codeAt
  for (const site of body.sites) {
    bytes.add(source.subarray(copied, site.at))
    guard(site)
    copied = site.kind === 'back_branch' && site.conditional ? site.end : site.at
  }
  return { bytes: bytes.add(source.subarray(copied, body.end)), unlikely }
}

type Payment = { price: number[]; refill: number[] }

/** Takes the number that `amount` leaves on the stack from the counter; below zero, has it filled again. */
function payment({ global, refill }: Fuel, scratch: number[], amount: number[]): Payment {
  const counter = u32(global)
  const take = [OP.globalGet, ...counter, ...amount, OP.i32Sub]
  const keep = [OP.localTee, ...scratch, OP.globalSet, ...counter]
  const isEmpty = [OP.localGet, ...scratch, OP.i32Const, ...s32(0), OP.i32LtS]
  return {
    price: [...take, ...keep, ...isEmpty],
    refill: [OP.if, NO_RESULT, OP.call, ...u32(refill), OP.end],
  }
}

/** The body of the function that fills the counter and then asks the host, which throws when the run must end. */
export function refillBody(global: number, period: number, argument: number, ask: number): Writer {
  const noLocals = u32(0)
  return new Writer()
    .add([...noLocals, OP.i32Const, ...s32(period), OP.globalSet, ...u32(global)])
    .add([OP.i32Const, ...s32(argument), OP.call, ...u32(ask), OP.drop, OP.end])
}
