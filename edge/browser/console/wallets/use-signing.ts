import { useEffect, useState } from 'preact/hooks'
import type { Signing, SigningState } from './signing.ts'

export function useSigning(signing: Signing): SigningState {
  const [state, setState] = useState(signing.state)
  useEffect(() => {
    const update = () => setState(signing.state)
    // Updates immediately, because the state may have changed between the render and this effect.
    update()
    return signing.changes.add(update)
  }, [signing])
  return state
}
