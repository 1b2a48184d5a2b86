import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LineBuffer } from '../../../origin/log/line-buffer.ts'

function buffered() {
  const writes: string[] = []
  return { writes, buffer: new LineBuffer((text) => writes.push(text)) }
}

it('writes the lines of one turn together, in order, at the end of the turn', async () => {
  const { buffer, writes } = buffered()
  buffer.add('a\n')
  buffer.add('b\n')
  expect(writes).toEqual([])
  await setImmediate()
  expect(writes).toEqual(['a\nb\n'])
  buffer.add('c\n')
  await setImmediate()
  expect(writes).toEqual(['a\nb\n', 'c\n'])
})

it('writes everything before the process exits, and nothing twice', async () => {
  const { buffer, writes } = buffered()
  buffer.add('last\n')
  buffer.flush()
  expect(writes).toEqual(['last\n'])
  await setImmediate()
  buffer.flush()
  expect(writes).toEqual(['last\n'])
})
