import type { Outcome } from '../frame/scenario.ts'
import { onStage, type Stage, type StageOptions } from '../stage/stage.ts'

/** Measures on its own stage; a service that did not end cleanly makes the run unsound. */
export function measureOnStage(
  options: StageOptions,
  measure: (stage: Stage) => Promise<Outcome>,
  preload: string | null = null,
): Promise<Outcome> {
  const measureAll = async (stage: Stage) => {
    const { metrics, complaints } = await measure(stage)
    return { metrics, complaints: [...complaints, ...stage.complaints] }
  }
  return onStage(options, measureAll, preload)
}
