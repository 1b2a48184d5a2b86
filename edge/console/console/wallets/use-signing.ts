import { useState } from 'hono/jsx/dom'
import type { Signing, SigningState } from './signing.ts'
import { useEffect } from '../../use-effect.ts'

/** What is asked and what was sent, as of now. */
export function useSigning(signing: Signing): SigningState {
  const [state, setState] = useState(signing.state)
  useEffect(() => {
    const look = () => setState(signing.state)
    // Between the drawing and this something may have been asked.
    look()
    return signing.onChange(look)
  }, [signing])
  return state
}
