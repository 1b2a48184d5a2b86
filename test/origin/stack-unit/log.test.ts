import { expect, it } from 'vitest'
import { jsonLog, traceOf } from '../../../origin/log.ts'

it('a log line is one line of JSON with its time, its event and its facts', () => {
  const lines: string[] = []
  jsonLog(
    (line) => lines.push(line),
    () => 0,
  )('run.started', { cid: 'Qm\n', n: 1 })
  expect(lines).toHaveLength(1)
  expect(lines[0]?.indexOf('\n')).toBe(lines[0]!.length - 1)
  expect(JSON.parse(lines[0]!)).toEqual({
    at: '1970-01-01T00:00:00.000Z',
    event: 'run.started',
    cid: 'Qm\n',
    n: 1,
  })
})

it('leaked secret: the trace of an error says where it was thrown, and not its message', () => {
  const trace = traceOf(new RangeError('canary\n  canary of two lines'))
  expect(trace).toMatch(/^RangeError at .*log\.test\.ts/)
  expect(trace).not.toContain('canary')
  expect(trace).not.toContain('\n')
  expect(traceOf('canary')).toBe('string')
})
