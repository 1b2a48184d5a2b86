import { expect, it } from 'vitest'
import { once } from '../../edge/console/use-effect.ts'

/** An effect that writes down what is done and taken back. */
function noted(name: string, notes: string[]) {
  return () => {
    notes.push(`do ${name}`)
    return () => void notes.push(`undo ${name}`)
  }
}

it('what a drawing asks for is done once, however often it is run', () => {
  const notes: string[] = []
  const run = once(noted('a', notes), { current: null })
  expect(run()).toBe(run())
  expect(notes).toEqual(['do a'])
})

it('of two that were due in one frame the first is taken back before the second', () => {
  const notes: string[] = []
  const held = { current: null }
  once(noted('a', notes), held)()
  once(noted('b', notes), held)()
  expect(notes).toEqual(['do a', 'undo a', 'do b'])
})

it('what was taken back is not taken back again', () => {
  const notes: string[] = []
  const held = { current: null }
  const undo = once(noted('a', notes), held)()
  undo()
  undo()
  once(noted('b', notes), held)()
  expect(notes).toEqual(['do a', 'undo a', 'do b'])
})

it('what leaves nothing behind has nothing to take back', () => {
  const held = { current: null }
  expect(once(() => {}, held)()).not.toThrow()
  expect(held.current).toBeNull()
})
