import type { FindingView } from '../backend/types';
import { faultText } from './faults';
import { phrase } from './phrase';

/** findingText is what a check found, in the person's language. */
export function findingText(finding: FindingView): string {
  return finding.fault ? faultText(finding.fault).text : phrase(finding.message);
}
