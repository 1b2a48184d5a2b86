/**
 * Prints the processor time, in microseconds, in which `readMembers` skips a large value, and in which `JSON.parse`
 * parses it. The argument is the kind of value.
 */
import { readMembers } from '../../../origin/http/json/members.ts'

const MIB = 1024 * 1024

const VALUES: Record<string, () => string> = {
  names: () => `{${Array.from({ length: 2.5e6 }, (_, n) => `"k${n}":1`).join()}}`,
  objects: () =>
    `{"a":[${Array(11 * MIB)
      .fill('{}')
      .join()}]}`,
}

const text = `{"js_params":${VALUES[process.argv[2]!]!()}}`
const bytes = Buffer.from(text)

/** Processor time of this thread, because other processes take part of the wall time. */
function took(work: () => unknown): number {
  const began = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(began)
  return user + system
}

const selection = { names: ['code', 'js_params', 'run'], text: 'js_params' }
const scan = () => took(() => readMembers(bytes, selection))
const scanned = Math.min(scan(), scan(), scan())
const parsed = took(() => JSON.parse(text))
console.log(JSON.stringify({ scanned, parsed }))
