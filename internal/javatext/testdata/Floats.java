import java.util.Random;

/** Prints bits and texts of random doubles and floats: java Floats.java SEED COUNT, with JDK 8 to 18. */
public class Floats {
  public static void main(String[] args) {
    Random r = new Random(Long.parseLong(args[0]));
    for (int i = 0; i < Integer.parseInt(args[1]); i++) {
      double d = switch (i % 8) {
        case 0 -> Double.longBitsToDouble(r.nextLong());
        case 1 -> r.nextDouble();
        case 2 -> r.nextInt(1000000) / 100.0;
        case 3 -> r.nextGaussian() * Math.pow(10, r.nextInt(40) - 20);
        case 4 -> Math.pow(2, r.nextInt(2100) - 1074) * (1 + r.nextInt(3));
        case 5 -> (double) r.nextLong();
        case 6 -> Math.round(r.nextDouble() * 1e6) / Math.pow(10, r.nextInt(12));
        default -> Double.longBitsToDouble(r.nextLong() >>> (12 + r.nextInt(50)));
      };
      float f = switch (i % 5) {
        case 0 -> Float.intBitsToFloat(r.nextInt());
        case 1 -> r.nextFloat();
        case 2 -> r.nextInt(100000) / 100f;
        case 3 -> (float) r.nextLong();
        default -> (float) Math.pow(2, r.nextInt(270) - 149);
      };
      System.out.println(Long.toHexString(Double.doubleToRawLongBits(d)) + " " + d + " "
          + Integer.toHexString(Float.floatToRawIntBits(f)) + " " + f);
    }
  }
}
