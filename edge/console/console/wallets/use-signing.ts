import { useState } from 'hono/jsx/dom'
import type { Signing, SigningState } from './signing.ts'
import { useEffect } from '../../use-effect.ts'

export function useSigning(signing: Signing): SigningState {
  const [state, setState] = useState(signing.state)
  useEffect(() => {
    const look = () => setState(signing.state)
    // The state may have changed between the render and this effect.
    look()
    return signing.onChange(look)
  }, [signing])
  return state
}
