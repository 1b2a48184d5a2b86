import { expect, it } from 'vitest'
import { cleanUpBeforeRerun } from '../../edge/browser/components/use-effect.ts'

/** An effect that records its execution and cleanup. */
function noted(name: string, notes: string[]) {
  return () => {
    notes.push(`do ${name}`)
    return () => void notes.push(`undo ${name}`)
  }
}

it('runs an effect once, however often it is called', () => {
  const notes: string[] = []
  const run = cleanUpBeforeRerun(noted('a', notes), { current: null })
  expect(run()).toBe(run())
  expect(notes).toEqual(['do a'])
})

it('cleans up the first of two effects of one frame before the second runs', () => {
  const notes: string[] = []
  const held = { current: null }
  cleanUpBeforeRerun(noted('a', notes), held)()
  cleanUpBeforeRerun(noted('b', notes), held)()
  expect(notes).toEqual(['do a', 'undo a', 'do b'])
})

it('does not clean up twice', () => {
  const notes: string[] = []
  const held = { current: null }
  const undo = cleanUpBeforeRerun(noted('a', notes), held)()
  undo()
  undo()
  cleanUpBeforeRerun(noted('b', notes), held)()
  expect(notes).toEqual(['do a', 'undo a', 'do b'])
})

it('accepts an effect without cleanup', () => {
  const held = { current: null }
  expect(cleanUpBeforeRerun(() => {}, held)()).not.toThrow()
  expect(held.current).toBeNull()
})
