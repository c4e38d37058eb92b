import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.criteria.DistinctLDiversity;
import org.deidentifier.arx.criteria.EqualDistanceTCloseness;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

/** ARX on its Adult example: FOLDER ATTRIBUTES MODEL LIMIT RUNS; prints the loss and the least CPU seconds of a run. */
public class ArxSearch {
    public static void main(String[] given) throws Exception {
        double least = Double.MAX_VALUE;
        double loss = 0;
        for (int run = 0; run < Integer.parseInt(given[4]); run++) {
            Data data = Data.create(new File(given[0], "adult.csv"), StandardCharsets.UTF_8, ';');
            for (int place = 0; place < data.getHandle().getNumColumns(); place++) {
                data.getDefinition().setAttributeType(
                    data.getHandle().getAttributeName(place), AttributeType.INSENSITIVE_ATTRIBUTE);
            }
            for (String name : given[1].split(",")) {
                File file = new File(given[0], "adult_hierarchy_" + name + ".csv");
                data.getDefinition().setAttributeType(
                    name, AttributeType.Hierarchy.create(file, StandardCharsets.UTF_8, ';'));
            }
            ARXConfiguration configuration = ARXConfiguration.create();
            for (String model : given[2].split(",")) {
                String[] parts = model.split(":");
                if (!parts[0].equals("k")) {
                    data.getDefinition().setAttributeType(parts[1], AttributeType.SENSITIVE_ATTRIBUTE);
                }
                switch (parts[0]) {
                    case "k":
                        configuration.addPrivacyModel(new KAnonymity(Integer.parseInt(parts[1])));
                        break;
                    case "distinct_l":
                        configuration.addPrivacyModel(
                            new DistinctLDiversity(parts[1], Integer.parseInt(parts[2])));
                        break;
                    case "equal_t":
                        configuration.addPrivacyModel(
                            new EqualDistanceTCloseness(parts[1], Double.parseDouble(parts[2])));
                        break;
                    default:
                        throw new IllegalArgumentException(model);
                }
            }
            configuration.setSuppressionLimit(Double.parseDouble(given[3]));
            configuration.setQualityModel(Metric.createLossMetric(0.5, Metric.AggregateFunction.ARITHMETIC_MEAN));
            long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            ARXResult result = new ARXAnonymizer().anonymize(data, configuration);
            long after = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            least = Math.min(least, (after - before) / 1e9);
            loss = Double.parseDouble(result.getGlobalOptimum().getLowestScore().toString());
        }
        System.out.println(loss + " " + least);
    }
}
